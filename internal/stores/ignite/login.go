package ignite

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	// loginTimeout bounds an attempt: who waits for a member that isn't there any more finds it out
	// no sooner.
	loginTimeout = 3 * time.Second
	// loginsAtOnce are those of a driver's sessions to one member. Its hashes of a few passwords take no
	// longer than an attempt may.
	loginsAtOnce = 4
)

// refusedFor is how long the refusal of a password is taken for the answer, before it is shown again.
const refusedFor = time.Second

// login is an attempt to connect with a password. It goes on when who waited has given up, and the next
// one waits for the same: the member hashes the password, which takes tens of milliseconds of a core,
// and goes on with that in any case, so that attempts without patience might keep it at that for ever.
type login struct {
	stop context.CancelFunc
	done chan struct{}
	// When it is done:
	made *connection
	err  error
	at   time.Time
}

// turns is for as many logins at once as it holds; nil is for any number.
type turns chan struct{}

func (t turns) take(ctx context.Context) error {
	if t == nil {
		return nil
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turns) pass() {
	if t != nil {
		<-t
	}
}

func showsPassword(who *stores.Credentials) bool { return who != nil && who.Password != "" }

// beginLogin begins one when it is its turn.
func beginLogin(address string, who *stores.Credentials, turns turns) *login {
	ctx, stop := context.WithCancel(context.Background())
	l := &login{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer stop()
		if l.err = turns.take(ctx); l.err != nil {
			return
		}
		defer turns.pass()
		limited, cancel := context.WithTimeout(ctx, loginTimeout)
		defer cancel()
		l.made, l.err = dial(limited, address, who)
		l.at = time.Now()
	}()
	return l
}

// await returns what came of it, or that the context ended before.
func (l *login) await(ctx context.Context) (*connection, error) {
	select {
	case <-l.done:
		return l.made, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *login) isDone() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// promising says that it may still become a connection, or has.
func (l *login) promising() bool { return l != nil && (!l.isDone() || l.err == nil) }

// connection is what came of it; nil while there is none.
func (l *login) connection() *connection {
	if l == nil || !l.isDone() {
		return nil
	}
	return l.made
}

// over says that it failed, and that it is time for another attempt.
func (l *login) over() bool {
	return l.isDone() && l.err != nil && (codeOf(l.err) != stores.CodeUnauthorized || time.Since(l.at) >= refusedFor)
}

// abandon ends it, and the connection that nobody took.
func (l *login) abandon() {
	l.stop()
	<-l.done
	if l.made != nil {
		l.made.HangUp()
	}
}
