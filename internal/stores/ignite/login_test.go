package ignite

import (
	"crypto/tls"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

const testPassword = "it's the run's"

// askingFor is the configuration of clients with the run's password.
func askingFor(mode string, members ...*member) stores.Config {
	cfg := stores.Config{Mode: mode, Credentials: &stores.Credentials{User: user, Password: testPassword}}
	for _, f := range members {
		cfg.Names, cfg.Addresses = append(cfg.Names, f.address), append(cfg.Addresses, f.address)
	}
	return cfg
}

func (f *member) introductions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.met
}

// holdBack lets the member answer no introduction before the test ends, or says so.
func (f *member) holdBack(t *testing.T) (release func()) {
	hold := make(chan struct{})
	release = sync.OnceFunc(func() { close(hold) })
	f.hold = hold
	t.Cleanup(release) // before the member's, which waits for its answers
	return release
}

// A member that takes longer to check a password than anybody waits is asked once, and serves in the end.
func TestALoginOutlivesThoseWhoWaitForIt(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	release := f.holdBack(t)
	f.password = testPassword
	l := newLink(f.address, askingFor(ModeAtomicPersistent, f).Credentials, nil)
	defer l.close()
	for range 3 {
		if _, err := l.ready(time.Now().Add(20 * time.Millisecond)); codeOf(err) != stores.CodeNoConnection {
			t.Fatalf("%v", err)
		}
	}
	release()
	if made, err := l.ready(time.Now().Add(10 * time.Second)); err != nil || !made || f.introductions() != 1 {
		t.Errorf("made %v after %d introductions: %v", made, f.introductions(), err)
	}
	if made, err := l.ready(time.Now().Add(10 * time.Second)); err != nil || made {
		t.Errorf("made another one %v: %v", made, err)
	}
}

func TestALoginThatNobodyTookEnds(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	f.password = testPassword
	l := newLink(f.address, askingFor(ModeAtomicPersistent, f).Credentials, nil)
	l.login = beginLogin(l.address, l.who, nil)
	<-l.login.done
	made := l.login.made
	l.close()
	if err := made.SetDeadline(time.Time{}); err == nil || l.login != nil {
		t.Errorf("the connection is open: %v", err)
	}
}

// Nobody waits for the answer of a member that is left.
func TestALoginUnderWayEndsWithItsLink(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	f.holdBack(t)
	l := newLink(f.address, askingFor(ModeAtomicPersistent, f).Credentials, nil)
	l.login = beginLogin(l.address, l.who, nil)
	until(t, "the member was asked", func() bool { return f.introductions() == 1 })
	begun := time.Now()
	if l.close(); time.Since(begun) >= loginTimeout {
		t.Error("the link waited for its login")
	}
}

// A member is restarted after a login that nobody took.
func TestALoginThatIsNotSoundAnyMoreIsFollowedByAnother(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	l := newLink(f.address, askingFor(ModeAtomicPersistent, f).Credentials, nil)
	defer l.close()
	l.login = beginLogin(l.address, l.who, nil)
	<-l.login.done
	l.login.made.HangUp()
	if made, err := l.ready(time.Now().Add(10 * time.Second)); err != nil || !made || f.introductions() != 2 {
		t.Errorf("made %v after %d introductions: %v", made, f.introductions(), err)
	}
}

func TestNoMoreThanAFewLogInAtOnce(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	release := f.holdBack(t)
	d, err := Open(askingFor(ModeAtomicPersistent, f))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var links []*link
	for range 3 * loginsAtOnce {
		s := d.(*driver).session()
		defer s.Close()
		if err := s.ready(0, time.Now().Add(time.Millisecond)); err == nil {
			t.Fatal("a member that is held back took a session")
		}
		links = append(links, s.links[0])
	}
	until(t, "some are asked", func() bool { return f.introductions() >= loginsAtOnce })
	if got := f.introductions(); got > loginsAtOnce+1 { // the affinity's
		t.Errorf("%d at once", got)
	}
	release()
	for _, l := range links {
		if _, err := l.ready(time.Now().Add(10 * time.Second)); err != nil {
			t.Error(err)
		}
	}
}

func TestARefusedPasswordIsNotShownAgainAtOnce(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	f.password = "another one"
	l := newLink(f.address, askingFor(ModeAtomicPersistent, f).Credentials, nil)
	defer l.close()
	ask := func() error {
		l.Hurry()
		_, err := l.ready(time.Now().Add(10 * time.Second))
		return err
	}
	begun := time.Now()
	for range 5 {
		if err := ask(); codeOf(err) != stores.CodeUnauthorized || !strings.Contains(err.Error(), "it is not you") {
			t.Fatalf("%v", err)
		}
	}
	if f.introductions() != 1 && time.Since(begun) < refusedFor {
		t.Errorf("shown %d times", f.introductions())
	}
	f.set(func() { f.password = testPassword })
	until(t, "it is taken", func() bool { return ask() == nil })
}

// The members begin with the password that everybody knows.
func TestTheRunsPasswordTakesThePlaceOfEverybodys(t *testing.T) {
	var statement string
	told := func(r request, reply *builder) bool {
		if r.kind == kindSQL && statement == "" {
			r.body.take(4 + 1) // cache, flags
			r.body.object(typeString)
			r.body.take(4 + 4) // rows
			text, _ := r.body.object(typeString)
			statement = string(text)
		}
		return acknowledge(r, reply)
	}
	one, other := newMember(t, 1, told), newMember(t, 2, acknowledge)
	for _, f := range []*member{one, other} {
		f.set(func() { f.password, f.state, f.sees = firstUser.Password, 0, 2 })
	}
	seen, err := Observe(askingFor(ModeTransactionalPersistent, one, other))
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Close()
	repair := repairing(t, seen)
	if state := seen.Sample(t.Context(), 10*time.Second)[0]; state.Error != stores.CodeUnauthorized || state.Healthy {
		t.Errorf("%+v before it has the password", state)
	}
	if did := repair(); !strings.Contains(did, "activated") || one.wasAsked(kindChangeState) != 1 || statement != "" {
		t.Errorf("%q, told %q", did, statement)
	}
	for _, f := range []*member{one, other} {
		f.set(func() { f.state = stateActive })
	}
	if did := repair(); did != "gave the user ignite the run's password" || strings.Contains(did, testPassword) {
		t.Errorf("%q", did)
	}
	if want := `ALTER USER "ignite" WITH PASSWORD 'it''s the run''s'`; statement != want {
		t.Errorf("told %s, want %s", statement, want)
	}
	for _, f := range []*member{one, other} {
		f.set(func() { f.password = testPassword })
	}
	until(t, "they take the run's", func() bool { return seen.Sample(t.Context(), 10*time.Second)[0].Error == "" })
	if did := repair(); did != "" {
		t.Errorf("%q of members that have it", did)
	}
}

// Members of somebody else's are shown no other password than that of the run, and such as know their
// clients by certificates none.
func TestWhoIsShownWhichPassword(t *testing.T) {
	password := &stores.Credentials{User: user, Password: testPassword}
	both := &stores.Credentials{User: user, Password: testPassword, TLS: &tls.Config{}}
	for name, c := range map[string]struct {
		cfg            stores.Config
		shows, takenBy bool
	}{
		"members of the run":           {stores.Config{Credentials: password}, true, true},
		"members of the run, with TLS": {stores.Config{Credentials: both}, false, false},
		"members of others":            {stores.Config{Credentials: password, Shared: true}, true, false},
		"members of others, with TLS":  {stores.Config{Credentials: both, Shared: true}, true, false},
		"nothing is asked":             {stores.Config{}, false, false},
	} {
		if got := showsPassword(identity(c.cfg)); got != c.shows {
			t.Errorf("%s: shown %v", name, got)
		}
		if got := takesOver(c.cfg); got != c.takenBy {
			t.Errorf("%s: taken over %v", name, got)
		}
	}
	if who := identity(stores.Config{Credentials: both}); who.TLS == nil {
		t.Error("TLS is left out")
	}
}

func TestARefusedStatementIsToldWithoutItsPassword(t *testing.T) {
	const secret = "s3cret"
	f := newMember(t, 1, func(r request, reply *builder) bool {
		reply.open()
		reply.int64(r.number)
		reply.int16(flagError)
		reply.int32(1)
		reply.text("can't parse ALTER USER \"ignite\" WITH PASSWORD '" + secret + "'")
		reply.end()
		return true
	})
	f.set(func() { f.password = firstUser.Password })
	cfg := askingFor(ModeAtomicPersistent, f)
	cfg.Credentials.Password = secret
	seen, err := Observe(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Close()
	did, err := seen.(stores.Repairer).Repair(t.Context(), time.Second)
	if err == nil || !strings.Contains(err.Error(), "status 1") || strings.Contains(err.Error(), secret) || strings.Contains(did, secret) {
		t.Errorf("%q, %v", did, err)
	}
}

func TestAPasswordWhoseAnswerIsLostIsTold(t *testing.T) {
	f := newMember(t, 1, func(request, *builder) bool { return false })
	f.set(func() { f.password = firstUser.Password })
	seen, err := Observe(askingFor(ModeAtomicPersistent, f))
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Close()
	did, err := seen.(stores.Repairer).Repair(t.Context(), time.Second)
	if !strings.HasPrefix(did, "gave the user ignite the run's password, perhaps") || err == nil || errors.Is(err, errApart) || strings.Contains(err.Error(), testPassword) {
		t.Errorf("%q, %v", did, err)
	}
}
