package postgresql

import (
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Sessions that wait for a server that is away learn of a failed attempt together, and there is
// one attempt at a time.
func TestAServerThatIsAwayIsAskedByOne(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var under, most, asked atomic.Int32
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			most.Store(max(most.Load(), under.Add(1)))
			go func() {
				defer conn.Close()
				var hello [64]byte
				_, _ = conn.Read(hello[:])
				under.Add(-1)
			}()
		}
	}()
	driver, err := Open(stores.Config{Addresses: []string{listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close()
	const sessions = 50
	ended := make(chan error, sessions)
	one := func() {
		session, err := driver.NewSession()
		if err == nil {
			err = session.Do(&stores.Op{Kind: stores.Insert, Table: "t", Key: []byte("k"), Deadline: time.Now().Add(time.Minute)})
		}
		ended <- err
	}
	go one() // the first attempt tells that it is away
	for i := range sessions {
		var failure *stores.Error
		if err := <-ended; !errors.As(err, &failure) || failure.Outcome != stores.Failed || failure.Code != stores.CodeNoConnection {
			t.Fatal(err)
		}
		if i == 0 {
			for range sessions - 1 {
				go one()
			}
		}
	}
	if most.Load() != 1 || asked.Load() > sessions/2 {
		t.Errorf("%d attempts for %d sessions, and %d at a time", asked.Load(), sessions, most.Load())
	}
}

func TestAWaitEndsWithItsDeadline(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // which nobody accepts from
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	driver, err := Open(stores.Config{Addresses: []string{listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close()
	session, err := driver.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	err = session.Do(&stores.Op{Kind: stores.Update, Table: "t", Key: []byte("k"), Deadline: time.Now().Add(20 * time.Millisecond)})
	var failure *stores.Error
	if !errors.As(err, &failure) || failure.Outcome != stores.Failed || failure.Code != stores.CodeNoConnection {
		t.Fatal(err)
	}
}
