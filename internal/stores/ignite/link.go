package ignite

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// link is a connection to one member. It is made when it is first needed, and anew after
// anything went wrong with it.
type link struct {
	*conn.Own
	address string
	who     *stores.Credentials // nil: nobody, in plain text
	member  uuid                // who it is
	in      reader
	msg     message
	last    int64         // number of the last request
	at      version       // what the member said last of where it is
	moved   func(version) // is told that the members, or what they own, are others

	turns turns  // of logins
	login *login // not taken yet
}

func newLink(address string, who *stores.Credentials, moved func(version)) *link {
	l := &link{address: address, who: who, moved: moved}
	l.Own = conn.NewOwn(l.dial, &conn.Counts{})
	return l
}

// ready returns with a connection that was sound a moment ago, before the deadline; made says that
// it is new. Nothing but the introduction was sent when it fails.
func (l *link) ready(deadline time.Time) (made bool, err error) {
	return l.readyUntil(deadline, deadline)
}

// readyUntil is ready, with an earlier end of the attempt to connect.
func (l *link) readyUntil(until, deadline time.Time) (made bool, err error) {
	if l.login.promising() {
		l.Hurry() // it is the attempt
	}
	if made, err = l.ReadyUntil(until, deadline); err != nil {
		err = fmt.Errorf("connect to %s: %w", l.address, err)
	}
	return made, err
}

func (l *link) dial(ctx context.Context) (*conn.Conn, error) {
	made, err := l.logIn(ctx)
	if err != nil {
		return nil, err
	}
	l.in.in, l.member, l.at = made.In, made.member, version{}
	return made.Conn, nil
}

// logIn goes on with the login that is under way, or takes what came of it, if that is still sound. Without a password it
// connects.
func (l *link) logIn(ctx context.Context) (*connection, error) {
	if !showsPassword(l.who) {
		return dial(ctx, l.address, l.who)
	}
	if made := l.login.connection(); made != nil && !made.Sound() {
		l.endLogin()
	}
	if l.login == nil || l.login.over() {
		l.login = beginLogin(l.address, l.who, l.turns)
	}
	made, err := l.login.await(ctx)
	if made != nil {
		l.login = nil // it is taken
	}
	return made, err
}

// number is the next request's.
func (l *link) number() int64 {
	l.last++
	return l.last
}

// exchange sends the request that took the last number, and returns its answer.
func (l *link) exchange(request []byte) (*message, error) {
	if err := l.send(request); err != nil {
		return nil, err
	}
	return l.answer()
}

// send sends the request, over the connection that was there a moment ago: what was done for others in
// between may have found that it ended.
func (l *link) send(request []byte) error {
	if l.Conn() == nil {
		return &conn.UnsentError{Err: net.ErrClosed}
	}
	if _, err := l.Conn().Write(request); err != nil {
		return &conn.UnsentError{Err: err}
	}
	return nil
}

// answer is the one to the last request. Events are left out.
func (l *link) answer() (*message, error) {
	for {
		data, err := l.in.next()
		if err != nil {
			return nil, err
		}
		if l.msg, err = decodeMessage(data); err != nil {
			return nil, err
		}
		if l.msg.moved {
			l.note(l.msg.topology)
		}
		switch {
		case l.msg.event:
		case l.msg.number != l.last:
			return nil, fmt.Errorf("%w: an answer to request %d after request %d", errProtocol, l.msg.number, l.last)
		case l.msg.status != 0:
			return nil, decodeError(&l.msg)
		default:
			return &l.msg, nil
		}
	}
}

func (l *link) note(at version) {
	l.at = at
	if l.moved != nil {
		l.moved(at)
	}
}

// serves asks the member whether it is one of an active cluster, and has finished its start: until
// then its topology has no version.
func (l *link) serves() error {
	var request builder
	appendState(&request, l.number())
	m, err := l.exchange(request.out)
	if err != nil {
		return err
	}
	active, err := decodeState(m.body)
	switch {
	case err != nil:
		return err
	case l.at.major < 1:
		return errors.New("the member has not finished its start")
	case !active:
		return errors.New("the cluster is not active: activate it")
	}
	return nil
}

// drop ends the connection, whose state is not known any more.
func (l *link) drop() { l.Drop() }

// close ends the connection, and the login that is under way.
func (l *link) close() {
	l.drop()
	l.endLogin()
}

func (l *link) endLogin() {
	if l.login != nil {
		l.login.abandon()
		l.login = nil
	}
}
