package ycsb

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/trace"
	"github.com/kvbench/kvbench/internal/workload"
	"github.com/kvbench/kvbench/internal/ycsb/properties"
)

// Command is a command line, taken apart but not looked at.
type Command struct {
	Load  bool // else run
	Store string
	// Files and Pairs are the -P and -p options. Options are those that stand for a
	// property, such as threadcount for --threads.
	Files, Pairs []string
	Options      map[string]string

	Rate             float64 // operations/s of an open loop; 0 is none
	RateSet          bool
	RateSchedule     string  // a file of rates over time, in place of Rate; "" is none
	Trace            string  // a file of requests to make again, in place of the workload's; "" is none
	Stretch          float64 // of the trace's gaps
	StretchSet       bool
	Arrivals         string
	MaxInFlight      int
	Connections      int // to each member in an open loop; 0 is the default
	Warmup           time.Duration
	OperationTimeout time.Duration
	Seed             uint64
	SeedSet          bool   // else it is a random one
	Bundle           string // a folder for the raw files; "" is a temporary one
	Exports          []string

	// Processors is of a loadgen.Job.
	Processors func(int) int
}

// Settings are a command line that can be carried out.
type Settings struct {
	*Command
	entry     *stores.Entry
	client    *workload.Client
	workload  map[string]string // the workload's properties
	spec      *workload.Spec    // what they say
	inserted  int64             // key numbers above the records that earlier steps may have taken
	own       map[string]string // the store's, without the prefix
	unused    map[string]bool   // properties that nobody looks at
	addresses []string
	mode      *stores.Mode
	shape     *plan.Shape // how the rate changes; nil if it doesn't
	dialing   time.Duration
	exports   []export
	trace     *trace.Trace // that is replayed, and what it is in the plan
	traced    *plan.Trace
	status    bool
	label     string // begins the lines of progress
}

// Settle reads the property files and checks all of the command. Its error is a BadInput.
func Settle(c *Command) (*Settings, error) {
	store, err := properties.FindStore(c.Store)
	if err != nil {
		return nil, BadInput{Cause: err}
	}
	given, err := properties.Collect(c.Files, c.Pairs, c.Options)
	if err != nil {
		return nil, BadInput{Cause: err}
	}
	split, storeErr := given.For(store)
	rest, places := split.Rest, split.Places
	s := &Settings{Command: c, entry: store, own: split.Store, unused: split.Unused}
	s.label = rest["label"]
	delete(rest, "label")
	rest["dotransactions"] = fmt.Sprint(!c.Load)
	s.client, s.workload, err = workload.ParseClient(rest)
	if err == nil {
		s.spec, err = workload.Parse(s.workload, workload.FromCommandLine())
	}
	if err := errors.Join(storeErr, err); err != nil {
		return nil, BadInput{Cause: workload.Locate(err, places)}
	}
	_, said := rest["measurement.interval"]
	if c.open() && !said {
		// An open loop is there for its response times.
		s.client.MeasurementInterval = workload.IntervalBoth
	}
	_, said = rest["status"]
	s.status = s.client.Status || !said
	s.exports, err = parseExports(c.Exports, rest, s.client)
	if err := errors.Join(s.settleStore(), s.settleLoad(), s.settleRate(), s.settleThreads(rest), err); err != nil {
		return nil, BadInput{Cause: err}
	}
	if err := s.spec.CheckStore(s.entry.Name, s.mode); err != nil {
		return nil, BadInput{Cause: workload.Locate(err, places)}
	}
	if s.trace != nil {
		if err := s.trace.Summary().CheckStore(s.entry.Name, s.mode, s.spec.Fields[0]); err != nil {
			return nil, Refuse("--trace %s: %w", s.Trace, err)
		}
	}
	return s, nil
}

// defaultDialing is how long a store may take for its first answer.
const defaultDialing = 2 * time.Second

// settleStore takes those of the store's properties that every store has.
func (s *Settings) settleStore() error {
	take := func(name string) (value string, given bool) {
		value, given = s.own[name]
		delete(s.own, name)
		return value, given
	}
	s.dialing = defaultDialing
	if text, given := take(properties.DialTimeout); given {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 || d > time.Hour {
			return fmt.Errorf("property %s.%s=%q: must be a duration up to 1h, such as 2s", s.entry.Prefix, properties.DialTimeout, text)
		}
		s.dialing = d
	}
	text, _ := take(properties.Mode)
	mode, ok := s.entry.FindMode(text)
	if !ok {
		return fmt.Errorf("property %s.%s=%q: must be one of %s", s.entry.Prefix, properties.Mode, text, strings.Join(s.entry.DescribeModes(), ", "))
	}
	s.mode = mode
	if s.entry.ClientPort == 0 {
		return nil
	}
	text, given := take(properties.Endpoints)
	host, _ := take(properties.Host)
	port, _ := take(properties.Port)
	if given && host+port != "" {
		return fmt.Errorf("property %[1]s.%[2]s: names the servers, as %[1]s.%[3]s and %[1]s.%[4]s do one: leave it or them out",
			s.entry.Prefix, properties.Endpoints, properties.Host, properties.Port)
	}
	if !given {
		text = net.JoinHostPort(cmp.Or(host, "localhost"), cmp.Or(port, fmt.Sprint(s.entry.ClientPort)))
	}
	var err error
	s.addresses, err = properties.ParseEndpoints(text)
	if err != nil {
		return fmt.Errorf("property %s.%s=%q: %w", s.entry.Prefix, properties.Endpoints, text, err)
	}
	return nil
}

// Bounds of a command, which are those of a plan.
const (
	longest      = 24 * time.Hour
	mostThreads  = 1024
	mostInFlight = 1_000_000

	mostConnections = 1000
	mostRate        = 1e7
	mostTimeout     = time.Minute
)

func (s *Settings) settleLoad() error {
	c := s.client
	switch {
	case s.Arrivals != "poisson" && s.Arrivals != "constant":
		return fmt.Errorf("--arrivals=%q: must be poisson or constant", s.Arrivals)
	case s.Connections < 0 || s.Connections > mostConnections:
		return fmt.Errorf("--connections=%d: must be from 1 to %d, or 0 for the default", s.Connections, mostConnections)
	case s.Connections > 0 && !s.entry.SharesConnections:
		return fmt.Errorf("--connections=%d: the driver of %s doesn't share connections by number: leave it out", s.Connections, s.entry.Name)
	case s.MaxInFlight < 0 || s.MaxInFlight > mostInFlight:
		return fmt.Errorf("--max-in-flight=%d: must be from 1 to %d, or 0 for the default", s.MaxInFlight, mostInFlight)
	case s.Warmup < 0 || s.Warmup > longest || s.Warmup%time.Second != 0:
		return fmt.Errorf("--warmup=%s: must be whole seconds, up to %s", s.Warmup, longest)
	case c.MaxExecutionTime > longest || c.MaxExecutionTime%time.Second != 0:
		return fmt.Errorf("maxexecutiontime: must be whole seconds, up to %s", longest)
	case s.OperationTimeout < time.Millisecond || s.OperationTimeout > mostTimeout:
		return fmt.Errorf("--operation-timeout=%s: must be from 1ms to %s", s.OperationTimeout, mostTimeout)
	}
	return nil
}

// sayUnused tells of properties without effect, in one line.
func (s *Settings) sayUnused(screen *Screen) {
	if len(s.unused) > 0 {
		screen.say("without effect here: %s", strings.Join(slices.Sorted(maps.Keys(s.unused)), ", "))
	}
}
