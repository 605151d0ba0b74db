package report

import (
	"io/fs"

	"github.com/kvbench/kvbench/internal/bundle"
)

// selfOf is what a worker or a loader says of itself. A day has 86,400 lines, so their
// seconds are kept in few bytes, and their errors added up.
type selfOf struct {
	writer  bundle.Writer
	clocks  []bundle.Clock // in their order
	seconds []selfSecond
	sends   bySecond[sends] // a worker's, of the measurement
	errors  errorCounts
	finish  *bundle.Finish // nil if the file doesn't end with it
}

// selfSecond is a bundle.SelfSecond.
type selfSecond struct {
	atNanos          int64 // its end
	lengthMicros     int32
	inFlightMax      int32
	limited, sent    int32
	queued           int32
	late             int32
	gcPauseMicros    int32
	gcCPUMicros      int32
	throttledMicros  int32 // or unmeasured, and so the next one
	stoppedMicros    int32
	stoppedAgoMicros int32 // before the end, when that began
	writeMicros      int32
	cores            *cores // nil where the kernel said nothing
	slots            slots
	connections      *connections // nil where operations share none
	machine          *machine     // nil where nobody tells of it
}

// unmeasured stands for what the worker's machine didn't tell.
const unmeasured = -1

func measured(micros *int64) int32 {
	if micros == nil {
		return unmeasured
	}
	return int32(*micros)
}

// readSelfLines reads a worker's or loader's .jsonl.
func readSelfLines(fsys fs.FS, w bundle.Writer) (*selfOf, error) {
	s := &selfOf{writer: w}
	err := readLinesOf(fsys, w.File(bundle.Jsonl), maxLines, false, func(l *bundle.SelfLine) error {
		if err := checkSelf(l); err != nil {
			return err
		}
		s.add(l)
		return nil
	})
	s.seconds = tight(s.seconds)
	return s, err
}

func (s *selfOf) add(l *bundle.SelfLine) {
	s.finish = l.Finish
	if l.Clock != nil {
		s.clocks = append(s.clocks, *l.Clock)
	}
	for _, e := range l.Errors {
		s.errors.add(e)
	}
	if l.Second == nil {
		return
	}
	s.seconds = append(s.seconds, selfSecond{
		atNanos:         l.AtUnixNanos,
		lengthMicros:    int32(l.Second.LengthMicros),
		inFlightMax:     int32(l.Second.InFlightMax),
		limited:         int32(l.Second.Limited),
		queued:          int32(l.Second.Queued),
		sent:            int32(l.Second.Sent),
		late:            int32(l.Second.Late),
		gcPauseMicros:   int32(l.Second.GCPauseMicros),
		gcCPUMicros:     int32(l.Second.GCCPUMicros),
		throttledMicros: measured(l.Second.ThrottledMicros),

		stoppedMicros:    measured(l.Second.StoppedMicros),
		stoppedAgoMicros: int32(l.Second.StoppedAgoMicros),
		writeMicros:      int32(l.Second.WriteMicros),
		cores:            coresOf(l.Second.Cores),
		connections:      connectionsOf(l.Second.Connections),
		machine:          machineOf(l.Second),
		slots:            slots{float32(l.Second.SlotMicros), float32(l.Second.SlotOwnMicros)},
	})
}

// beginNanos of the second: its line is written at its end.
func (s *selfSecond) beginNanos() int64 { return s.atNanos - int64(s.lengthMicros)*micro }

// stopped is the span of seconds in which the process did not run, both ends inclusive.
func (s *selfSecond) stopped(clock workloadClock) (from, to int64) {
	began := clock.fromStart(s.atNanos) - int64(s.stoppedAgoMicros)
	return clock.secondOfMicros(began), clock.secondOfMicros(began + int64(s.stoppedMicros))
}
