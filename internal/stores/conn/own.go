package conn

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Own is a connection for one goroutine. It is made when it is first needed, and anew after anything
// went wrong with it: answers have no numbers, so one that comes too late would be taken for the next
// one's.
type Own struct {
	Redial
	dial   func(ctx context.Context) (*Conn, error)
	counts *Counts
	conn   *Conn
	ready  time.Time // when it was last said to be ready
}

// fresh is for how long a connection is sound that was ready, and has answered since. A loop that sends at once
// after each answer so spares a look into the socket, which costs a tenth of what a request takes the client.
const fresh = time.Millisecond

// NewOwn connects to nobody yet. dial connects before ctx ends.
func NewOwn(dial func(ctx context.Context) (*Conn, error), counts *Counts) *Own {
	return &Own{dial: dial, counts: counts}
}

// Conn is the connection, as it was left; nil if there is none.
func (o *Own) Conn() *Conn { return o.conn }

// Ready returns with a connection that was sound a moment ago. Nothing was sent when it fails: its error is a
// stores.ConnectError, or context.DeadlineExceeded when the deadline had passed before.
func (o *Own) Ready(deadline time.Time) error {
	_, err := o.ReadyUntil(deadline, deadline)
	return err
}

// ReadyUntil is Ready with an earlier end of the attempt to connect. made says that the connection is new.
func (o *Own) ReadyUntil(until, deadline time.Time) (made bool, err error) {
	now := time.Now()
	if !now.Before(deadline) {
		return false, context.DeadlineExceeded // which says nothing of the connection
	}
	if o.sound(now, deadline) {
		return false, nil
	}
	if err := o.Await(until); err != nil {
		return false, &stores.ConnectError{Err: err}
	}
	ctx, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	err = o.connect(ctx, deadline)
	return err == nil, err
}

// Sound says, between two exchanges, whether there is a connection that can be used.
func (o *Own) Sound() bool { return o.conn != nil && o.conn.Sound() }

// sound says whether there is a connection that was sound a moment ago, and gives it the deadline.
func (o *Own) sound(now, deadline time.Time) bool {
	if o.conn == nil {
		return false
	}
	before := o.ready
	o.ready = now
	if o.conn.SetDeadline(deadline) == nil && o.conn.In.Buffered() == 0 && (now.Sub(before) < fresh || o.conn.Sound()) {
		return true
	}
	o.Drop()
	return false
}

func (o *Own) connect(ctx context.Context, deadline time.Time) error {
	begun := time.Now()
	made, err := o.dial(ctx)
	if err == nil {
		o.counts.Made(begun)
		o.conn = made
		err = made.SetDeadline(deadline)
	}
	if err != nil {
		o.PutOff()
		return &stores.ConnectError{Err: err}
	}
	o.Succeeded()
	return nil
}

// Connect makes the connection unless it is there.
func (o *Own) Connect(ctx context.Context) error {
	if o.conn != nil {
		return nil
	}
	return o.connect(ctx, time.Time{})
}

// DoWithin makes the exchange unless ctx ends, within that time at most. It doesn't wait after a failed
// attempt to connect: who calls it does.
func (o *Own) DoWithin(ctx context.Context, longest time.Duration, x Exchange) (Sent, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	deadline := stores.DeadlineOf(ctx, longest)
	if !o.sound(time.Now(), deadline) {
		if err := o.connect(ctx, deadline); err != nil {
			return Nothing, err
		}
	}
	// A deadline in the past ends what is under way when ctx does.
	used := o.conn
	defer context.AfterFunc(ctx, func() { _ = used.SetDeadline(time.Unix(1, 0)) })()
	return o.exchange(x)
}

// Do makes the exchange, before the deadline.
func (o *Own) Do(x Exchange, deadline time.Time) (Sent, error) {
	if err := o.Ready(deadline); err != nil {
		return Nothing, err
	}
	return o.exchange(x)
}

func (o *Own) exchange(x Exchange) (Sent, error) {
	if sent, err := o.Send(x); err != nil {
		return sent, err
	}
	return All, o.Receive(x)
}

// Send sends the request alone, over the connection that is ready.
func (o *Own) Send(x Exchange) (Sent, error) {
	if n, err := o.conn.Write(x.Request()); err != nil {
		o.Drop()
		if n == 0 {
			return Nothing, err
		}
		return Part, err
	}
	return All, nil
}

// Receive reads the answer to what was sent.
func (o *Own) Receive(x Exchange) error {
	err := x.Answer(o.conn.In)
	if err != nil {
		o.Drop()
	}
	return err
}

// Drop ends the connection, whose state is not known any more.
func (o *Own) Drop() {
	if o.conn != nil {
		o.conn.HangUp()
		o.conn, o.ready = nil, time.Time{}
	}
}

// PutOff ends the connection, and lets the next attempt to connect wait.
func (o *Own) PutOff() {
	o.Drop()
	o.Failed()
}
