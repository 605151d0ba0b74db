package conformance

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// attempt is one write and what the driver said of it.
type attempt struct {
	key     string
	begun   time.Time
	outcome stores.Outcome
	err     error
}

// Recovery ends a member, the leader where there is one, while many write, and checks the
// driver's word: what it called OK is there, if the mode promises that, what it called failed
// is not, and it writes again by itself: while the member is still away where others can do
// without, else when it is back. Of a member alone it also checks what the driver calls the end
// of the connections.
func Recovery(t *testing.T, target Target, cluster Cluster) {
	observer := observe(t, target)
	defer observer.Close()
	driver, err := target.Entry.Open(target.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close()
	mode, _ := target.Entry.FindMode(target.Config.Mode)
	states := settle(t, observer, "a leader, or all healthy", func(states []stores.MemberState) bool {
		return allHealthy(states) && (mode.Leader == "" || ledBy(states) != "")
	})
	victim := max(0, indexOf(target.Config.Names, ledBy(states)))

	writers := newWriters(t, driver, target.table("recovery"))
	done := 0
	writers.until(t, "some writes", func(a attempt) bool {
		if a.outcome == stores.OK {
			done++
		}
		return done == 200
	})
	killed, alone := time.Now(), len(target.Config.Names) == 1
	if alone {
		cluster.Freeze(t, victim)
		writers.hang(t)
	}
	cluster.Kill(t, victim)
	gone := time.Now()
	others := mode.Survives(len(target.Config.Names)) // do its work
	if !others {
		cluster.Start(t, victim)
	}
	row := 0
	writers.until(t, "100 writes in a row after the member's end", func(a attempt) bool {
		if row++; a.outcome != stores.OK || a.begun.Before(killed) {
			row = 0
		}
		return row == 100
	})
	attempts := writers.end()
	if others {
		cluster.Start(t, victim)
	}
	settle(t, observer, "all healthy again", allHealthy)
	if alone {
		namesLostConnections(t, attempts, killed, gone)
	}

	session, err := driver.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, a := range attempts {
		op := stores.Op{Kind: stores.Read, Table: target.table("recovery"), Key: []byte(a.key), Deadline: time.Now().Add(opTimeout)}
		err := session.Do(&op)
		there, missing := err == nil, notThere(err)
		switch {
		case !there && !missing:
			t.Fatalf("read %s: %v", a.key, err)
		case a.outcome == stores.OK && missing && (mode.Promise.KeepsAcknowledged() || a.begun.After(gone)):
			t.Errorf("%s was acknowledged and is lost", a.key)
		case a.outcome == stores.Failed && there:
			t.Errorf("%s was called failed and is there: %v", a.key, a.err)
		}
		counts[fmt.Sprintf("%v, there %v", a.outcome, there)]++
	}
	t.Logf("%d writes: %v", len(attempts), counts)
}

// namesLostConnections checks the codes of the writes that began before the only member was gone. It was frozen with
// writes under way, which were sent and have no answer. They have lost their connection, and every driver calls that
// ConnectionLost, unless the machine is so busy that the member took longer to end than a write may take: then all may
// have ended with their deadlines before.
func namesLostConnections(t *testing.T, attempts []attempt, killed, gone time.Time) {
	t.Helper()
	codes := map[string]int{}
	for _, a := range attempts {
		var failure *stores.Error
		if !errors.As(a.err, &failure) || !a.begun.Before(gone) {
			continue
		}
		codes[failure.Code]++
		known := failure.Code == stores.CodeConnectionLost || failure.Code == stores.CodeDeadline
		if failure.Outcome == stores.Unknown && !known {
			t.Errorf("%s was under way when the member was killed, and its code is %s: %v", a.key, failure.Code, failure)
		}
	}
	t.Logf("codes of the writes that failed with the member: %v", codes)
	slow := gone.Sub(killed) > writeTimeout && codes[stores.CodeDeadline] > 0
	if codes[stores.CodeConnectionLost] == 0 && !slow {
		t.Errorf("no write that failed with the member has the code %s", stores.CodeConnectionLost)
	}
}

// writeTimeout is the deadline of each write.
const writeTimeout = time.Second

// writers write distinct keys as fast as they may, each with a short deadline.
type writers struct {
	mu       sync.Mutex
	attempts []attempt
	stop     chan struct{}
	all      sync.WaitGroup
	changed  chan struct{}
}

func newWriters(t *testing.T, driver stores.Driver, table string) *writers {
	t.Helper()
	w := &writers{stop: make(chan struct{}), changed: make(chan struct{}, 1)}
	for i := range 8 {
		session, err := driver.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		w.all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-w.stop:
					return
				default:
					w.write(session, table, fmt.Sprintf("%d-%06d", i, n))
				}
			}
		})
	}
	return w
}

func (w *writers) write(session stores.Session, table, key string) {
	begun := time.Now()
	op := stores.Op{Kind: stores.Insert, Table: table, Key: []byte(key), Values: record(key), Deadline: begun.Add(writeTimeout)}
	a := attempt{key: key, begun: begun, err: session.Do(&op)}
	var failure *stores.Error
	if errors.As(a.err, &failure) {
		a.outcome = failure.Outcome
		// Where sessions share connections, an operation for a member that is away fails at once. What was
		// tried is read back, and a member of Java is away for long.
		time.Sleep(20 * time.Millisecond)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attempts = append(w.attempts, a)
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// hang waits until no write ends any more: a frozen member answers none.
func (w *writers) hang(t *testing.T) {
	t.Helper()
	const still = 50 * time.Millisecond
	limit := time.Now().Add(settleTimeout)
	for again := true; again; {
		select {
		case <-w.changed:
		case <-time.After(still):
			again = false
		}
		if time.Now().After(limit) {
			w.end()
			t.Fatalf("writes still end %v after the member was frozen", settleTimeout)
		}
	}
}

// until waits for an attempt that is as it should be.
func (w *writers) until(t *testing.T, what string, as func(attempt) bool) {
	t.Helper()
	limit := time.NewTimer(settleTimeout)
	defer limit.Stop()
	for next := 0; ; {
		w.mu.Lock()
		seen := w.attempts[next:]
		next += len(seen)
		w.mu.Unlock()
		for _, a := range seen {
			if as(a) {
				return
			}
		}
		select {
		case <-w.changed:
		case <-limit.C:
			w.end()
			t.Fatalf("not within %v: %s", settleTimeout, what)
		}
	}
}

// end stops the writers and returns all that was tried.
func (w *writers) end() []attempt {
	close(w.stop)
	w.all.Wait()
	return w.attempts
}
