package etcd

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	from "google.golang.org/grpc/peer"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// scripted is a member that answers when it is let to.
type scripted struct {
	pb.UnimplementedKVServer
	address string
	server  *grpc.Server

	mu       sync.Mutex
	pause    chan struct{}  // nil, or closed when it goes on
	unsaid   map[string]int // requests without an answer, by the connection
	most     int            // of one connection
	served   int
	accepted int // connections
}

func startScripted(t *testing.T, address string) *scripted {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	m := &scripted{address: listener.Addr().String(), server: grpc.NewServer(), unsaid: map[string]int{}}
	pb.RegisterKVServer(m.server, m)
	go func() { _ = m.server.Serve(&counting{listener, m}) }()
	t.Cleanup(m.server.Stop)
	return m
}

// counting counts the connections to a member.
type counting struct {
	net.Listener
	of *scripted
}

func (c *counting) Accept() (net.Conn, error) {
	accepted, err := c.Listener.Accept()
	if err == nil {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		c.of.accepted++
	}
	return accepted, err
}

func (m *scripted) Put(ctx context.Context, _ *pb.PutRequest) (*pb.PutResponse, error) {
	client, _ := from.FromContext(ctx)
	m.mu.Lock()
	pause := m.pause
	m.unsaid[client.Addr.String()]++
	m.most = max(m.most, m.unsaid[client.Addr.String()])
	m.mu.Unlock()
	if pause != nil {
		<-pause
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unsaid[client.Addr.String()]--
	m.served++
	return &pb.PutResponse{}, nil
}

// hold answers nothing until what it returns is called.
func (m *scripted) hold() (release func()) {
	pause := make(chan struct{})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pause = pause
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.pause = nil
		close(pause)
	})
}

// waiting is how many requests have no answer.
func (m *scripted) waiting() (sum int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, count := range m.unsaid {
		sum += count
	}
	return sum
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it is not so that %s", what)
		}
	}
}

// sharing is a driver whose connections to the members are there.
func sharing(t *testing.T, connections int, addresses ...string) stores.Driver {
	t.Helper()
	d, err := Open(stores.Config{Addresses: addresses, Connections: connections})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := d.(stores.Connector).Connect(ctx); err != nil {
		t.Fatal(err)
	}
	return d
}

func put(t *testing.T, d stores.Driver, within time.Duration) (*stores.Op, *stores.Error) {
	t.Helper()
	s, err := d.NewSession()
	if err != nil {
		t.Error(err)
	}
	defer s.Close()
	op := &stores.Op{Kind: stores.Insert, Table: "t", Key: []byte("k"), Deadline: time.Now().Add(within)}
	var failure *stores.Error
	errors.As(s.Do(op), &failure)
	return op, failure
}

func TestAConnectionHasAsManyRequestsAsItMay(t *testing.T) {
	m := startScripted(t, "127.0.0.1:0")
	release := m.hold()
	defer release()
	d := sharing(t, 1, m.address)
	var all sync.WaitGroup
	for range 2*conn.Depth + 1 {
		all.Go(func() {
			if op, failure := put(t, d, time.Minute); failure != nil || op.Waited > 0 && op.Waited < time.Millisecond {
				t.Errorf("%v after a wait of %v", failure, op.Waited)
			}
		})
	}
	// The first connection is silent after a moment, and another one is made in its place.
	eventually(t, "two connections are full", func() bool { return m.waiting() == 2*conn.Depth })
	begun := time.Now()
	late := make(chan *stores.Op)
	go func() {
		op, _ := put(t, d, 100*time.Millisecond)
		late <- op
	}()
	time.Sleep(200 * time.Millisecond) // its time has not begun
	release()
	if op := <-late; op.Waited < 100*time.Millisecond || op.Deadline.Sub(begun) < op.Waited {
		t.Errorf("it waited %v, and its deadline was put off to %v", op.Waited, op.Deadline.Sub(begun))
	}
	all.Wait()
	if m.most > conn.Depth {
		t.Errorf("%d requests were under way on one connection", m.most)
	}
	if count := d.(stores.Sharer).Connections(); count.Opened != 2 || count.Connect <= 0 || count.Lost != 0 {
		t.Errorf("%+v", count)
	}
}

func TestAnOperationWithoutAnAnswerLeavesItsConnectionToOthers(t *testing.T) {
	m := startScripted(t, "127.0.0.1:0")
	release := m.hold()
	defer release()
	d := sharing(t, 1, m.address)
	other := make(chan *stores.Error)
	go func() {
		_, failure := put(t, d, time.Minute)
		other <- failure
	}()
	eventually(t, "it is under way", func() bool { return m.waiting() == 1 })
	if _, failure := put(t, d, 50*time.Millisecond); failure == nil || failure.Outcome != stores.Unknown || failure.Code != stores.CodeDeadline {
		t.Errorf("after its deadline: %v", failure)
	}
	release()
	if failure := <-other; failure != nil {
		t.Errorf("the other one: %v", failure)
	}
}

func TestOperationsOfALostConnectionAreUnknownAndCounted(t *testing.T) {
	m := startScripted(t, "127.0.0.1:0")
	release := m.hold()
	d := sharing(t, 1, m.address)
	failures := make(chan *stores.Error)
	for range conn.Depth {
		go func() {
			_, failure := put(t, d, time.Minute)
			failures <- failure
		}()
	}
	eventually(t, "all are under way", func() bool { return m.waiting() == conn.Depth })
	go m.server.Stop() // it waits for what is under way
	for range conn.Depth {
		if failure := <-failures; failure == nil || failure.Outcome != stores.Unknown || failure.Code != stores.CodeConnectionLost {
			t.Errorf("%v", failure)
		}
	}
	release()
	if lost := d.(stores.Sharer).Connections().Lost; lost != conn.Depth-1 {
		t.Errorf("%d are counted as lost", lost)
	}
	eventually(t, "operations fail at once, for certain", func() bool {
		_, failure := put(t, d, time.Minute)
		return failure != nil && failure.Outcome == stores.Failed && failure.Code == stores.CodeNoConnection
	})
	startScripted(t, m.address)
	eventually(t, "operations succeed again", func() bool {
		_, failure := put(t, d, time.Minute)
		return failure == nil
	})
}

func TestAMemberThatDoesNotAnswerHoldsItsOwnConnectionsAlone(t *testing.T) {
	silent, well := startScripted(t, "127.0.0.1:0"), startScripted(t, "127.0.0.1:0")
	release := silent.hold()
	defer release()
	d := sharing(t, 1, silent.address, well.address)
	var all sync.WaitGroup
	for range 2 * conn.Depth {
		all.Go(func() {
			for range 20 {
				if _, failure := put(t, d, time.Minute); failure != nil {
					t.Error(failure)
				}
			}
		})
	}
	eventually(t, "the other one serves", func() bool { well.mu.Lock(); defer well.mu.Unlock(); return well.served > 100 })
	release()
	all.Wait()
	if silent.most > conn.Depth {
		t.Errorf("%d requests were under way on one connection", silent.most)
	}
}

func TestAMemberThatTakesLeaveFailsNothing(t *testing.T) {
	leaving, well := startScripted(t, "127.0.0.1:0"), startScripted(t, "127.0.0.1:0")
	d := sharing(t, 2, leaving.address, well.address)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, failure := put(t, d, time.Minute); failure != nil {
					t.Error(failure)
					return
				}
			}
		})
	}
	eventually(t, "it serves", func() bool { leaving.mu.Lock(); defer leaving.mu.Unlock(); return leaving.served > 100 })
	leaving.server.GracefulStop()
	well.mu.Lock()
	before := well.served
	well.mu.Unlock()
	eventually(t, "the other one serves", func() bool { well.mu.Lock(); defer well.mu.Unlock(); return well.served > before+100 })
	close(stop)
	all.Wait()
}

func TestAThreadHasItsConnectionsBeforeItsFirstOperation(t *testing.T) {
	one, two := startScripted(t, "127.0.0.1:0"), startScripted(t, "127.0.0.1:0")
	d, err := Open(stores.Config{Addresses: []string{one.address, two.address}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	const threads = 3
	for range threads {
		s, err := d.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.(stores.Connector).Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []*scripted{one, two} {
		// The driver has one for itself, which may not be there yet.
		eventually(t, "each thread has a connection", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.accepted >= threads })
		m.mu.Lock()
		accepted := m.accepted
		m.mu.Unlock()
		if accepted > threads+1 {
			t.Errorf("%d connections for %d threads", accepted, threads)
		}
	}
	two.server.Stop()
	s, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.(stores.Connector).Connect(t.Context()); err == nil {
		t.Error("a member that is away was connected to")
	}
}
