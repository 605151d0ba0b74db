package loadgen

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/internal/bundle"
)

// machineStat has what each CPU did since the machine's begin (proc_stat(5)).
const machineStat = "/proc/stat"

// tick is the unit of machineStat: user space sees a hundred of them in a second on all machines for
// which Go makes Linux programs.
const tick = 10 * time.Millisecond

// cpus tells what the CPUs did on which this process may run, and what of it was its own.
type cpus struct {
	stat  string // the file
	may   func(cpu int) bool
	procs func() int           // that Go uses at once
	ran   func() time.Duration // CPU time of this process
	last  cpuTimes
}

// cpuTimes are of all these CPUs together, since their begin.
type cpuTimes struct {
	cpus                 int
	idle, stolen, others time.Duration
	own                  time.Duration // of this process
}

func newCPUs() *cpus {
	var set unix.CPUSet
	all := unix.SchedGetaffinity(0, &set) != nil
	m := &cpus{stat: machineStat, may: func(cpu int) bool { return all || set.IsSet(cpu) }, procs: processors, ran: processTime}
	m.since()
	return m
}

// since is what they did since the last time; nil where the kernel doesn't say it, or says that nothing
// happened at all.
func (m *cpus) since() *bundle.Machine {
	text, err := os.ReadFile(m.stat)
	if err != nil {
		return nil
	}
	now := m.parse(text)
	now.own = m.ran()
	last := m.last
	m.last = now
	idle, stolen, others := now.idle-last.idle, now.stolen-last.stolen, now.others-last.others
	if now.cpus == 0 || idle < 0 || stolen < 0 || others < 0 || idle+stolen+others == 0 {
		return nil
	}
	return &bundle.Machine{
		Cores: now.cpus, Usable: min(m.procs(), now.cpus), IdleMicros: idle.Microseconds(), StolenMicros: stolen.Microseconds(),
		OwnMicros: max(0, now.own-last.own).Microseconds(),
	}
}

// Fields of a CPU's line, after its name.
const (
	idleField   = 3
	ioWaitField = 4 // idle, while somebody waits for a disk
	stealField  = 7
	statFields  = 8 // what guests ran, which follows, is in the first ones
)

func (m *cpus) parse(text []byte) (all cpuTimes) {
	for line := range bytes.Lines(text) {
		name, ok := bytes.CutPrefix(line, []byte("cpu"))
		if !ok {
			break // the CPUs' lines are the first ones
		}
		fields := bytes.Fields(name)
		if len(fields) <= statFields || name[0] == ' ' {
			continue // the sum of all CPUs, or a kernel that doesn't know of steal
		}
		cpu, err := strconv.Atoi(string(fields[0]))
		if err != nil || !m.may(cpu) {
			continue
		}
		all.cpus++
		for i, field := range fields[1 : 1+statFields] {
			ticks, err := strconv.ParseInt(string(field), 10, 64)
			if err != nil {
				return cpuTimes{}
			}
			switch spent := time.Duration(ticks) * tick; i {
			case idleField, ioWaitField:
				all.idle += spent
			case stealField:
				all.stolen += spent
			default:
				all.others += spent
			}
		}
	}
	return all
}

// processors is how many cores this process uses at once, at most.
func processors() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// processTime is the CPU time of this process; 0 where the kernel doesn't say it.
func processTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
