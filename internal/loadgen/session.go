package loadgen

import (
	"errors"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/trace"
	"github.com/kvbench/kvbench/internal/workload"
)

// stage is what all sessions of a measurement share. Sessions are opened before its
// begin is known, and make operations after.
type stage struct {
	begin   time.Time
	set     *record.Set
	errors  *errorCounts
	timeout time.Duration
	trace   *trace.Trace             // nil, or the requests that are replayed
	sharer  stores.Sharer            // nil where sessions share no connections
	cleanup func(took time.Duration) // nil, or told how long the end of a session took
}

// session is one concurrent client: it makes operations, does them, and records them.
type session struct {
	*stage
	thread *workload.Thread
	store  stores.Session
	slot   int  // its recorder's number
	queued bool // operations that wait for the session wait for a place on a connection
	waited bool // the next operation did, since it asked for its place then
	asked  time.Duration

	kept *record.Recorder // of the slot

	// Of the last operation, in an open loop.
	sent, ended time.Duration
	between     time.Duration // the session's own work between its parts
}

// recorder is the session's. There is none before the measurement's begin is known.
func (s *session) recorder() *record.Recorder {
	if s.kept == nil {
		s.kept = s.set.Recorder(s.slot)
	}
	return s.kept
}

// now counts from the begin.
func (s *stage) now() time.Duration { return time.Since(s.begin) }

// open does an operation that is due. The delay of one that waited for a slot is the
// store's.
func (s *session) open(op due) {
	kind := s.next(op.row)
	sent := s.now()
	if op.limited {
		// It is taken over as soon as the one before has ended, so what lies between is the
		// generator's own, though the wait for a slot is the store's.
		s.recorder().SendLimited(sent-s.sent, sent-s.ended+s.between)
		s.waited, s.asked = s.queued, op.intended
	} else {
		s.recorder().Send(op.intended, sent)
	}
	s.sent, s.between = sent, 0
	s.ended = s.do(kind, op.intended, sent)
}

// next makes the thread's next operation: the workload's, or the trace's in that row.
func (s *session) next(row uint32) stores.Kind {
	if s.trace == nil {
		return s.thread.Next()
	}
	r := s.trace.Request(int(row))
	s.thread.Replay(r.Kind, r.Key, r.Size)
	return r.Kind
}

// closed does the operation that follows the one that ended then, and returns when it has
// ended itself. One reading of the clock, which costs as much as all recording, is the end
// of an operation and the begin of the next: making keys and a value, less than a
// microsecond, counts as a part of it, unless it is more.
func (s *session) closed(ended time.Duration) time.Duration {
	kind := s.thread.Next()
	sent := s.afterOwnWork(ended)
	return s.do(kind, sent, sent)
}

// afterOwnWork is when the session is done with what it began to do then: making values, or
// comparing those that were read.
func (s *session) afterOwnWork(began time.Duration) time.Duration {
	if s.thread.HasCostlyWork() {
		return s.now()
	}
	return began
}

func (s *session) do(kind stores.Kind, intended, sent time.Duration) (done time.Duration) {
	sample := record.Sample{Kind: kind, Intended: intended, Sent: sent}
	var said answer
	sample.Sent, said = s.one(&sample, sent)
	if kind == stores.ReadModifyWrite {
		s.part(stores.Read, &sample, sample.Sent)
		if said != noAnswer {
			s.update(&sample, said)
		}
	}
	s.thread.Settle(sample.Outcome == stores.OK)
	s.recorder().Finish(&sample)
	if said == noRecord && kind == stores.Read && s.thread.Fill() {
		return s.aside(sample.Done)
	}
	return sample.Done
}

// answer is what the store said to an operation.
type answer int

const (
	noAnswer    answer = iota // nothing that is certain, or that it did not do it
	carriedOut                // with what was expected
	noRecord                  // there is none
	wrongRecord               // it differs from what dataintegrity says
)

// update is the second part of a read-modify-write. As in YCSB it follows whatever record the read
// found, or none: that there is none is a failure of the read alone.
func (s *session) update(whole *record.Sample, found answer) {
	read := *whole
	whole.Outcome, whole.Code, whole.Answered = stores.OK, "", false
	s.thread.Update()
	again := s.afterOwnWork(read.Done)
	placed, _ := s.one(whole, again)
	s.part(stores.Update, whole, placed)
	if found == wrongRecord && whole.Outcome == stores.OK {
		whole.Outcome, whole.Code = read.Outcome, read.Code
	}
	s.between = again - read.Done
	leaveOut(whole, s.between)
	whole.Sent += placed - again // as of the read, the wait for a place is no time of service
}

// leaveOut takes the generator's own work in the middle of an operation out of its service
// time. In a closed loop an operation is intended when it is sent.
func leaveOut(whole *record.Sample, own time.Duration) {
	if whole.Intended == whole.Sent {
		whole.Intended += own
	}
	whole.Sent += own
}

// aside sets the record that a read has just missed, which is an insert beside the read:
// it has its latency, from when the miss was known, and is no operation of the load.
func (s *session) aside(missed time.Duration) (done time.Duration) {
	missed = s.afterOwnWork(missed)
	set := record.Sample{Kind: stores.Insert, Intended: missed, Part: true}
	set.Sent, _ = s.one(&set, missed)
	s.recorder().Finish(&set)
	return set.Done
}

// part records the read or the update of a read-modify-write as an operation of its own.
func (s *session) part(kind stores.Kind, whole *record.Sample, sent time.Duration) {
	part := *whole
	part.Kind, part.Sent, part.Part = kind, sent, true
	s.recorder().Finish(&part)
}

var errUnexpected = errors.New("the record differs from what dataintegrity says")

// one does the thread's operation once, and says in the sample how and when it ended. placed is when it
// was sent, or got its place on a connection, if it had to wait for that.
func (s *session) one(sample *record.Sample, sent time.Duration) (placed time.Duration, said answer) {
	op := s.thread.Op()
	op.Deadline, op.Waited, op.Shard = s.begin.Add(sent+s.timeout), 0, 0
	err := s.store.Do(op)
	sample.Done, sample.Shard = s.now(), op.Shard
	placed = s.placed(op, sent)
	if err == nil {
		v := s.thread.Verify()
		if v <= workload.Verified {
			return placed, carriedOut
		}
		said, err = wrongRecord, &stores.Error{Outcome: stores.Failed, Code: v.String(), Err: errUnexpected}
	}
	var known *stores.Error
	sample.Answered = errors.As(err, &known) && known.Answered
	if known != nil && known.Code == stores.CodeNotFound {
		said = noRecord
	}
	sample.Outcome, sample.Code = s.errors.count(op.Kind, err)
	return placed, said
}

// placed is when the operation was sent, or would have been with the places on connections for which it
// waited: what it waited is no time of service.
func (s *session) placed(op *stores.Op, sent time.Duration) time.Duration {
	waited := op.Waited
	if s.waited {
		waited += sent - s.asked
		s.waited = false
	}
	if waited > 0 {
		s.recorder().Place(waited)
	}
	return sent + op.Waited
}

// end gives the session's handle back.
func (s *session) end() error {
	begin := time.Now()
	err := s.store.Close()
	if s.cleanup != nil {
		s.cleanup(time.Since(begin))
	}
	return err
}
