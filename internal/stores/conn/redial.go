package conn

import (
	"context"
	"fmt"
	"time"
)

// Connecting is tried again soon, but not at once: threads must not spin while a member is away.
const (
	redialBase = 50 * time.Millisecond
	RedialMax  = 500 * time.Millisecond
	// avoided is how long another member is asked rather than one that could not be reached, where any
	// will do: an attempt takes time of an operation.
	avoided = 5 * time.Second
	// retried bounds the attempt to reach a member again that could not be reached, where another one
	// could be asked at once.
	retried = 100 * time.Millisecond
)

// Redial says when a connection to one member is tried again. It is not for concurrent use.
type Redial struct {
	pause  time.Duration // after the last failed attempt; 0 when it succeeded
	failed time.Time     // when it failed
}

// Due is when the next attempt may be made: in the past, if at once.
func (r *Redial) Due() time.Time { return r.failed.Add(r.pause) }

// Await waits until the next attempt is due. Where that is after the deadline it waits for the deadline,
// and returns an error: an attempt without time would be a failed one, and put off the next again.
func (r *Redial) Await(deadline time.Time) error {
	due := r.Due()
	if !due.Before(deadline) {
		time.Sleep(time.Until(deadline))
		return fmt.Errorf("it could not be reached a moment ago: %w", context.DeadlineExceeded)
	}
	time.Sleep(time.Until(due))
	return nil
}

// Failed notes that an attempt failed.
func (r *Redial) Failed() {
	r.pause = min(max(redialBase, 2*r.pause), RedialMax)
	r.failed = time.Now()
}

// Succeeded notes that an attempt succeeded.
func (r *Redial) Succeeded() { r.pause = 0 }

// Hurry lets the next attempt be due at once.
func (r *Redial) Hurry() { r.failed = time.Time{} }

// Avoid says that another member, if there is one, is to be asked before this one.
func (r *Redial) Avoid() bool { return r.pause > 0 && time.Since(r.failed) < avoided }

// Until is when the attempt to reach the member has to end, so that others can still be asked before
// the deadline; of the last that can be asked it is the deadline.
func (r *Redial) Until(deadline time.Time, last bool) time.Time {
	if last {
		return deadline
	}
	half := time.Until(deadline) / 2
	if r.pause > 0 {
		half = min(half, retried)
	}
	return time.Now().Add(half)
}

// InTurn appends to turn the places of all that can be asked, from the first one on. Those that could not be reached a
// moment ago come behind the others.
func InTurn[T interface{ Avoid() bool }](turn []int, all []T, first int) []int {
	for _, avoid := range []bool{false, true} {
		for i := range all {
			if at := (first%len(all) + i) % len(all); all[at].Avoid() == avoid {
				turn = append(turn, at)
			}
		}
	}
	return turn
}
