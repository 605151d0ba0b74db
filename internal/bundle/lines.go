package bundle

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
)

// SelfLine is one line of a worker's .jsonl: what it knows of itself. One of the
// pointers is set.
type SelfLine struct {
	AtUnixNanos int64       `json:"atUnixNanos"`
	Clock       *Clock      `json:"clock,omitempty"`
	Second      *SelfSecond `json:"second,omitempty"`
	Errors      []ErrorSeen `json:"errors,omitempty"` // since the last such line
	Finish      *Finish     `json:"finish,omitempty"` // the last line
}

// Clock is an estimate of the writer's offset to the results server: server time minus
// local time, from the exchange with the shortest round trip; the bound is half of that.
type Clock struct {
	OffsetNanos int64 `json:"offsetNanos"`
	BoundNanos  int64 `json:"boundNanos"`
}

// MaxClockBoundNanos is the widest bound that is told: an hour. It says that nobody knows.
const MaxClockBoundNanos = int64(3_600e9)

// SelfSecond is one second of the generator's own condition.
type SelfSecond struct {
	// LengthMicros is how long it was: less than a second for the first and the last,
	// since seconds end with those of the clock, more when the generator was held up.
	LengthMicros int64 `json:"lengthMicros"`
	// InFlightMax is the most operations under way; Limited counts those that waited
	// for a free slot.
	InFlightMax int   `json:"inFlightMax"`
	Limited     int64 `json:"limited"`
	// Queued counts those of Intended that had to wait, for a free slot or for a place on a connection.
	Queued        int64 `json:"queued"`
	Intended      int64 `json:"intended"`
	Sent          int64 `json:"sent"`
	Late          int64 `json:"late"` // of those that ended: sent more than LateSendMicros after their intended time
	GCPauseMicros int64 `json:"gcPauseMicros"`
	// GCCPUMicros is the CPU time of the garbage collector, with what operations had to help
	// it, and without what it did on cores that nobody else wanted. Go's runtime estimates it.
	GCCPUMicros int64 `json:"gcCPUMicros,omitempty"`
	// ThrottledMicros is the time without CPU by quota; null where no cgroup tells.
	ThrottledMicros *int64 `json:"throttledMicros,omitempty"`
	// StoppedMicros is the longest time in which the process neither ran nor waited for a
	// core; StoppedAgoMicros is how long before the end of the second it began. Null where
	// the kernel doesn't say what threads do.
	StoppedMicros    *int64 `json:"stoppedMicros,omitempty"`
	StoppedAgoMicros int64  `json:"stoppedAgoMicros"`
	// Cores is null where the kernel doesn't say it.
	Cores *Cores `json:"cores,omitempty"`
	// Machine is null where the kernel doesn't say it.
	Machine *Machine `json:"machine,omitempty"`
	// SlotMicros is how long the slots were busy for which operations waited, and SlotOwnMicros
	// what of it was the generator's work between operations, not the store's.
	SlotMicros    int64 `json:"slotMicros,omitempty"`
	SlotOwnMicros int64 `json:"slotOwnMicros,omitempty"`
	// Connections is what became of those that operations share; null where none do.
	Connections *Connections `json:"connections,omitempty"`
	// WriteMicros is how long the disk took for the rows of the second.
	WriteMicros int64 `json:"writeMicros"`
}

// Connections is what became of a worker's connections in a second, or before its first one.
type Connections struct {
	// Opened is how many were made, and ConnectMicros how long that took, all together.
	Opened        int64 `json:"opened"`
	ConnectMicros int64 `json:"connectMicros"`
	// Lost counts operations whose answer was lost with a connection that others shared with them.
	Lost int64 `json:"lost"`
	// Waited counts operations that waited for a place on a connection, which is the store's delay;
	// WaitMicros is how long, all together, and WaitMaxMicros the longest.
	Waited        int64 `json:"waited"`
	WaitMicros    int64 `json:"waitMicros"`
	WaitMaxMicros int64 `json:"waitMaxMicros"`
}

// Cores is how the threads of the process fared in a second, by the kernel's account.
type Cores struct {
	// Count is how many cores the process uses at once, at most: GOMAXPROCS, and no more than it may.
	Count int `json:"count"`
	// RanMicros is how long they ran, all together, and WaitedMicros how long they could have
	// run and waited for a core.
	RanMicros    int64 `json:"ranMicros"`
	WaitedMicros int64 `json:"waitedMicros"`
	// WaitedMaxMicros is the longest wait of one thread: what it waited in a fiftieth of a
	// second, or in one wait that ended then. LongWaitsMicros are, of WaitedMicros, those of
	// LongWaitMicros and more.
	WaitedMaxMicros int64 `json:"waitedMaxMicros"`
	LongWaitsMicros int64 `json:"longWaitsMicros"`
}

// Machine is what the cores did in a second on which the process may run, by the kernel's account. In a
// container it is still the node's.
type Machine struct {
	Cores int `json:"cores"`
	// Usable is how many of them it uses at once, at most: no more than GOMAXPROCS.
	Usable int `json:"usable"`
	// IdleMicros is how long nobody wanted them, all together, and StolenMicros how long the hypervisor
	// gave them to others.
	IdleMicros   int64 `json:"idleMicros"`
	StolenMicros int64 `json:"stolenMicros"`
	// OwnMicros is how long this process ran on them, without what its garbage collector did while nobody
	// else of the process wanted a core.
	OwnMicros int64 `json:"ownMicros"`
}

// LongWaitMicros is the wait for a core from which on a thread is not just one of several that
// share it fairly.
const LongWaitMicros = 25_000

// ErrorSeen counts operations that did not succeed, by their code, with one example.
type ErrorSeen struct {
	Operation string `json:"operation"`
	Outcome   string `json:"outcome"`
	Code      string `json:"code"`
	Count     int64  `json:"count"`
	Example   string `json:"example"`
}

// OtherCode is the code of errors that have none, and of those beyond the kinds that are kept.
const OtherCode = "Other"

// Finish closes the file of a worker or loader.
type Finish struct {
	StartedUnixNanos int64 `json:"startedUnixNanos"`
	EndedUnixNanos   int64 `json:"endedUnixNanos"`
	Operations       int64 `json:"operations"` // finished, of any outcome
	Succeeded        int64 `json:"succeeded"`
	NeverStarted     int64 `json:"neverStarted"` // intended, but the run ended while they waited for a slot
	// LastIntendedUnixNanos is when an open loop intended its last operation; what ends
	// after it is the store's time. 0 for a closed loop.
	LastIntendedUnixNanos int64 `json:"lastIntendedUnixNanos,omitempty"`
	Dropped               int64 `json:"dropped"` // values that a histogram could not take: must be 0
	// OverRange are values above HistogramMaxMicros, which histograms count as that.
	OverRange int64 `json:"overRange,omitempty"`
	Inserted  int64 `json:"inserted"`
	// Batch is how many records a loader inserted with one request at most; 0 is one.
	Batch int `json:"batch,omitempty"`
	// Before are the connections that were made before the measurement; null where operations share none.
	Before *Connections `json:"connectionsBefore,omitempty"`
	// CutUnixNanos is when the results server had room for no more, so that the measurement ended before
	// its time; 0 if it didn't.
	CutUnixNanos int64 `json:"cutUnixNanos,omitempty"`
	// Arrivals are an open loop's, from the end of the warm-up.
	Arrivals *Arrivals `json:"arrivals,omitempty"`
}

// TopologyLine is one line of the observer's file: written on a change, and at least
// every TopologyHeartbeatMillis.
type TopologyLine struct {
	AtUnixNanos int64  `json:"atUnixNanos"`
	Clock       *Clock `json:"clock,omitempty"`
	// Begins is true of a process' first line: its clock is another one than that of the
	// process before, which may have written into the same file.
	Begins  bool                 `json:"begins,omitempty"`
	Members []stores.MemberState `json:"members,omitempty"`
	// Leader is the member that a majority takes for the leader; empty when there is none.
	Leader string `json:"leader,omitempty"`
	// Term is the leader's; without one, the highest of any member.
	Term uint64 `json:"term,omitempty"`
	// Steady: all members healthy and, for a consensus store, one leader known to all.
	Steady bool `json:"steady"`
	// Usage is what members said since the line before of what they use.
	Usage []stores.Usage `json:"usage,omitempty"`
	// Repair is what was done since the line before for a member that didn't come back by itself.
	Repair string `json:"repair,omitempty"`
}

// Describe is one line for people.
func (l *TopologyLine) Describe() string {
	var text strings.Builder
	switch {
	case l.Leader != "":
		fmt.Fprintf(&text, "leader %q, term %d", l.Leader, l.Term)
	case l.Term > 0:
		fmt.Fprintf(&text, "no leader, term %d", l.Term)
	default:
		text.WriteString("members without a leader") // as of stores whose members are all alike
	}
	for _, member := range l.Members {
		fmt.Fprintf(&text, "; %s %s", member.Name, member.Role)
		if !member.Healthy {
			fmt.Fprintf(&text, " (not healthy: %s)", member.Error)
		}
	}
	return text.String()
}

// MaxRepairBytes bounds TopologyLine.Repair.
const MaxRepairBytes = 1024

// TopologyHeartbeatMillis bounds the silence in an observer's file.
const TopologyHeartbeatMillis = 500

// UsageLine is what the kubelet of its node said once of a member's pod. What it didn't say is nil.
type UsageLine struct {
	Member string `json:"member"`
	// Pod is its UID: the processor time counts from the pod's begin.
	Pod string `json:"pod"`
	// AtUnixNanos is when it was so, to a second; DataAtUnixNanos the same of DataBytes, which
	// kubelets look at once a minute.
	AtUnixNanos     int64  `json:"atUnixNanos,omitempty"`
	CPUMicros       *int64 `json:"cpuMicros,omitempty"`
	WorkingSetBytes *int64 `json:"workingSetBytes,omitempty"`
	DataAtUnixNanos int64  `json:"dataAtUnixNanos,omitempty"`
	DataBytes       *int64 `json:"dataBytes,omitempty"`
}

// FaultLine is one line of faults.jsonl, by the controller. Instants of 0 did not happen.
type FaultLine struct {
	Name     string `json:"name"`
	Workload string `json:"workload"`
	Action   string `json:"action"`
	// Target is the member's name, where the fault has one target; Role is the role that was asked for.
	Target string `json:"target,omitempty"`
	// Targets are the names of the members that the fault hits, and Peers those of the members from which it
	// separates them. Both are sorted. Bundles of before have Target alone.
	Targets            []string `json:"targets,omitempty"`
	Peers              []string `json:"peers,omitempty"`
	Role               string   `json:"role,omitempty"`
	RequestedUnixNanos int64    `json:"requestedUnixNanos"`
	// DurationMillis is how long the fault was to last; 0 of one that ends with its injection.
	DurationMillis int64 `json:"durationMillis,omitempty"`
	// The injection happened between these two: before the object was made, and when it
	// was seen as injected.
	InjectedAfterUnixNanos  int64 `json:"injectedAfterUnixNanos,omitempty"`
	InjectedBeforeUnixNanos int64 `json:"injectedBeforeUnixNanos,omitempty"`
	// A fault that lasts ended between these two: just before its healing was asked for, and when its object
	// was seen to be recovered or gone. Both are 0 where the fault ends with its injection, and the second is 0
	// where the end was not seen.
	EndedAfterUnixNanos  int64 `json:"endedAfterUnixNanos,omitempty"`
	EndedBeforeUnixNanos int64 `json:"endedBeforeUnixNanos,omitempty"`
	// ClockBoundNanos is how far the controller's idea of the server's clock may be off.
	ClockBoundNanos int64  `json:"clockBoundNanos,omitempty"`
	LeaderBefore    string `json:"leaderBefore,omitempty"` // the fresh sample at injection
	TermBefore      uint64 `json:"termBefore,omitempty"`
	Late            bool   `json:"late,omitempty"` // injected more than 2 s after it was due
	// Reason is what Error is about, where that matters for what follows: FaultPodReplaced, FaultEndedEarly.
	Reason string `json:"reason,omitempty"`
	Error  string `json:"error,omitempty"`
}

// Values of FaultLine.Reason that the report judges.
const (
	// FaultPodReplaced is of a fault that lasted, and of whose pods one was replaced meanwhile: the new pod
	// escaped it, so the fault wasn't whole.
	FaultPodReplaced = "PodReplaced"
	// FaultEndedEarly is of a fault that was over before its healing was asked for: nobody knows when it ended.
	FaultEndedEarly = "EndedEarly"
)
