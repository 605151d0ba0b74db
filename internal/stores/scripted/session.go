package scripted

import (
	"errors"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

type session struct{ store *Store }

var (
	errRefused = &stores.Error{Outcome: stores.Failed, Code: stores.CodeNoConnection, Err: errors.New("refused by the script")}
	errRead    = &stores.Error{Outcome: stores.Failed, Code: stores.CodeDeadline, Err: errors.New("no answer before the deadline")}
	errWrite   = &stores.Error{Outcome: stores.Unknown, Code: stores.CodeDeadline, Err: errors.New("no answer before the deadline")}
)

// Do ends when the script says.
func (s session) Do(op *stores.Op) error {
	now := time.Now()
	begin := now
	sent := time.Duration(-1 << 62) // before every fault
	if b := s.store.begin.Load(); b != nil {
		begin, sent = *b, now.Sub(*b)
	}
	how, done := answered, sent+s.store.script.ServiceTime
	if sent > -1<<62 {
		how, done = s.store.script.judge(sent, op.Deadline.Sub(begin))
	}
	if wait := done - sent; wait > 0 {
		time.Sleep(wait)
	}
	switch {
	case how == refused:
		return errRefused
	case how == overdue && op.Kind.Reads():
		return errRead
	case how == overdue:
		return errWrite
	}
	s.store.count[op.Kind].Add(1)
	return nil
}

// Close does nothing.
func (session) Close() error { return nil }
