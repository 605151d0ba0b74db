package hazelcast

import (
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// silentMember takes connections, and never says anything.
func silentMember(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var open []net.Conn
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			open = append(open, conn)
		}
	})
	t.Cleanup(func() {
		listener.Close()
		all.Wait()
		for _, conn := range open {
			conn.Close()
		}
	})
	return listener.Addr().String()
}

func TestAMemberThatIsSilentKeepsNobodyFromTheOthers(t *testing.T) {
	silent := silentMember(t)
	for mode, there := range map[string]*member{
		ModeCP: raftMember(t, 1), ModeIMap: newMember(t, 1, acknowledge),
	} {
		d, err := Open(stores.Config{Mode: mode, Addresses: []string{silent, there.address}})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // sessions begin with different members
			session, err := d.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				op := opOf(stores.Update, "k")
				op.Deadline = time.Now().Add(2 * time.Second) // of which the silent one gets half
				if err := session.Do(op); err != nil {
					t.Errorf("%s, operation %d: %v", mode, i, err)
				}
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestADeadlineThatIsOverEndsNoConnection(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	l := newLink(f.address, defaultClusterName)
	defer l.drop()
	if made, err := l.ready(time.Now().Add(10 * time.Second)); err != nil || !made {
		t.Fatal(made, err)
	}
	if _, err := l.ready(time.Now().Add(-time.Millisecond)); err == nil {
		t.Error("ready without time")
	}
	if made, err := l.ready(time.Now().Add(10 * time.Second)); err != nil || made {
		t.Errorf("made anew: %v, %v", made, err)
	}
}

func TestABatchWhoseConnectionEndedWasNotSent(t *testing.T) {
	var cut *conn.UnsentError
	if _, err := newLink("127.0.0.1:1", defaultClusterName).exchange([]byte("x")); !errors.As(err, &cut) {
		t.Errorf("%v", err)
	}
}
