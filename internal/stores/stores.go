// Package stores is the catalog: what a store is called, how it is deployed, what its
// modes promise, and how it is driven and observed.
//
// The registry (package catalog below) is an explicit list. This package and those below it never
// import Kubernetes or Helm: the load generator links them.
package stores

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Kind is an operation of YCSB's core workload.
type Kind uint8

// The operations.
const (
	Read Kind = iota
	Update
	Insert
	Scan
	ReadModifyWrite // made of a Read and an Update by the generator; a driver never sees it
	Delete
	NumKinds
)

var kindNames = [NumKinds]string{"READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE", "DELETE"}

// String is YCSB's name of the operation.
func (k Kind) String() string { return kindNames[k] }

// Reads says that the operation changes nothing.
func (k Kind) Reads() bool { return k == Read || k == Scan }

// Outcome is what is known of an operation's effect.
type Outcome uint8

// The outcomes. A read that brought nothing back is Failed; a write is Failed only
// when it is certain that it never takes effect, else Unknown.
const (
	OK Outcome = iota
	Failed
	Unknown
	NumOutcomes
)

var outcomeNames = [NumOutcomes]string{"ok", "failed", "unknown"}

func (o Outcome) String() string { return outcomeNames[o] }

// Field is one field of a record.
type Field struct {
	Name  string
	Value []byte
}

// Op is one operation. The caller owns and reuses it; a driver keeps nothing of it
// after Do has returned.
type Op struct {
	Kind     Kind
	Table    string
	Key      []byte
	Fields   []string  // to read; nil means all
	Values   []Field   // to write
	Count    int       // records to scan
	Deadline time.Time // an operation never outlives it
	// Waited is how long it waited for places on connections that are shared, all together. The driver
	// adds to it, and puts the deadline off by as much.
	Waited time.Duration

	// Shard is the part of the key space that the operation's key is in: 1 to MaxShards, by the member that
	// had it when the driver was opened, and the same for a key ever after. Do sets it; 0 where all keys are
	// on all members, or an operation goes to several.
	Shard uint8

	// Result holds a read's fields (appended by the driver after truncation to 0) when
	// WantResult is set; a driver always transfers and decodes them. The values are valid until
	// the session's next operation.
	WantResult bool
	Result     []Field
}

// MaxRecords is how many records the operation's answer may have.
func (op *Op) MaxRecords() int {
	if op.Kind == Scan {
		return op.Count
	}
	return 1
}

// ErrTooManyRecords is an answer with more than MaxRecords: none of ours, or a hostile one.
var ErrTooManyRecords = errors.New("more records than were asked for")

// Session is one thread's handle. It is not for concurrent use.
type Session interface {
	// Do runs the operation once (no retry), before op.Deadline. Its error is an *Error.
	Do(op *Op) error
	Close() error
}

// Batcher is a Session that inserts several records with one request, for the load phase.
type Batcher interface {
	// InsertAll inserts the records, of one table, once, before the first one's deadline. Its
	// error is an *Error, and says of all what it says: none is known to be there. There is at
	// least one record, and at most as many, with as many bytes, as MaxBatch says.
	InsertAll(ops []Op) error
	MaxBatch() (records, bytes int)
}

// Driver is a client of a running store; safe for concurrent use.
type Driver interface {
	NewSession() (Session, error)
	// Reset removes every record of the table. A store that can't list its keys (see
	// Mode.ResetsOneTable) may remove those of its other tables too.
	Reset(ctx context.Context, table string) error
	// Ping succeeds when the store answers a request that its mode would serve.
	Ping(ctx context.Context) error
	Close() error
}

// Connector is a Driver or a Session that can make its connections before they are needed.
type Connector interface {
	// Connect returns when they are there, or ctx ends: then some are not, which the error says. They
	// are made in time for operations all the same.
	Connect(ctx context.Context) error
}

// Sharer is a Driver whose sessions can share connections (Config.Connections).
type Sharer interface {
	// Connections counts since the driver was opened.
	Connections() ConnectionCount
	// Places is how many operations can be on shared connections at once, where all operations go to
	// one member; 0 where they don't: then one member's must not keep those of others waiting.
	Places() int
}

// ConnectionCount is what a driver knows of its connections.
type ConnectionCount struct {
	Opened  int64         // that were made
	Connect time.Duration // that making them took, all together
	// Lost are operations whose answer was lost with a connection that they shared: it ended by itself,
	// or for another one's deadline.
	Lost int64
}

// Member states as an Observer sees them.
const (
	MemberLeader   = "leader"
	MemberFollower = "follower"
	MemberLearner  = "learner"
	MemberAlike    = "member"  // it answers, and the mode knows no roles
	MemberPrimary  = "primary" // one of several, each of a part of the records
	MemberReplica  = "replica" // of one of those
	MemberUnknown  = "unknown" // not reachable
)

// Observer samples the members' roles.
type Observer interface {
	// Sample asks every member, at most timeout long. It always returns one state for
	// each member, in the plan's order.
	Sample(ctx context.Context, timeout time.Duration) []MemberState
	Close() error
}

// Repairer is an Observer of a store whose members don't all come back by themselves.
type Repairer interface {
	// Repair does what an administrator would have to do for a member that is back and
	// isn't taken in again, and says what it was, also beside an error; "" is nothing. What was
	// asked for and may have been done is Unanswered. It is to be called again and again.
	Repair(ctx context.Context, timeout time.Duration) (did string, err error)
}

// Unanswered is what a Repairer says of what it asked for without hearing whether it was done: when
// it looks again there may be nothing left to do.
func Unanswered(did string) string { return did + ", perhaps: no answer said so" }

// MemberState is one member at one moment.
type MemberState struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Healthy bool   `json:"healthy"` // it answered, and knows a leader where there is one
	Term    uint64 `json:"term,omitempty"`
	Commit  uint64 `json:"commit,omitempty"`
	// Leader is the member that this one takes for the leader, by name.
	Leader string `json:"leader,omitempty"`
	Error  string `json:"error,omitempty"`
	// Records is how many it holds, where each record is on one member alone, and Process the number
	// (ProcessOf) of the process that holds them; 0 where that isn't told.
	Records *uint64 `json:"records,omitempty"`
	Process uint64  `json:"process,omitempty"`
}

// TooManyMembers is the Error of a member whose cluster has members that the run doesn't name: what it
// measures wouldn't be of as many as its report says.
func TooManyMembers(has, named int) string {
	return fmt.Sprintf("its cluster has %d members, and the run names %d", has, named)
}

// Config is what a driver or an observer needs to connect.
type Config struct {
	Addresses  []string // host:port, in the order of Names
	Names      []string
	Mode       string
	Properties map[string]string
	Timeout    time.Duration // of one operation
	// Shared says that others use the servers as well: what Reset does is for the table alone, and
	// who may use them is not the run's to decide.
	Shared bool
	// Credentials are nil where the store asks for none.
	Credentials *Credentials
	// TTL is how long what is written stays at least, from when its write was sent, and a few
	// seconds more at most; 0 is for ever. It is set for modes alone that say Expires.
	TTL time.Duration
	// Connections is how many connections to each member all sessions share, where the driver is a
	// Sharer; 0 gives each session connections of its own.
	Connections int
}

// Entry is one store of the catalog.
type Entry struct {
	Name           string
	Chart          string // folder below charts/stores; empty for what can't be deployed
	DefaultVersion string
	DefaultMode    string
	Modes          []Mode
	// Derive makes modes that Modes doesn't list, from their names, which Derived describes; nil is where there are none.
	Derive  func(name string) (*Mode, bool)
	Derived string
	// Values are those of the chart that differ from its own; a run may set others.
	Values     map[string]any
	ClientPort int
	// Warmup is for how long its members get faster under load, roughly: the default of
	// spec.load.warmup. 0 is as long as most take.
	Warmup time.Duration
	// NeedsData says, as the end of a sentence, why a member cannot come back without its
	// data; empty when it can.
	NeedsData string
	// RejoinsFrom is the number of nodes from which on the chart helps such a member back, with the
	// value rejoin.image; 0 is never.
	RejoinsFrom int
	// Security is what it can ask of its clients, when it is deployed.
	Security Security

	// SharesConnections says that the driver is a Sharer.
	SharesConnections bool

	// Prefix begins the names of the store's properties on a command line, as in
	// etcd.endpoints. Properties are the names without it that Open takes in its Config.
	Prefix     string
	Properties []string
	// Secrets are those of them that no file and no message may hold.
	Secrets []string

	Open    func(Config) (Driver, error)
	Observe func(Config) (Observer, error)
}

// JavaWarmup is Entry.Warmup of a store that runs on a Java virtual machine, which interprets its code
// first, and compiles what is called often while it runs: with its best compiler after some 5,000 calls
// (-XX:Tier4InvocationThreshold), of which each takes its time on cores that the store needs as well.
const JavaWarmup = 30 * time.Second

// FindMode returns the mode of that name; "" is the default. The mode is shared: nobody
// changes it.
func (e *Entry) FindMode(name string) (*Mode, bool) {
	if name == "" {
		name = e.DefaultMode
	}
	for i := range e.Modes {
		if e.Modes[i].Name == name {
			return &e.Modes[i], true
		}
	}
	if e.Derive != nil {
		return e.Derive(name)
	}
	return nil, false
}

// DescribeModes are the names of all its modes, and a description of those that aren't listed.
func (e *Entry) DescribeModes() []string {
	if e.Derived == "" {
		return e.ModeNames()
	}
	return append(e.ModeNames(), e.Derived)
}

// ModeNames are the names of Modes.
func (e *Entry) ModeNames() []string {
	var names []string
	for i := range e.Modes {
		names = append(names, e.Modes[i].Name)
	}
	return names
}
