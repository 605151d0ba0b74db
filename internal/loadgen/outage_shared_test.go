package loadgen

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores/conn"
	"github.com/kvbench/kvbench/internal/stores/memcached"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// Ways in which a server is away.
const (
	pauses   = "pauses"   // it answers all at the end
	swallows = "swallows" // what it gets is never answered, nor is anything after it on the same connection
	refuses  = "refuses"  // its connections end, and new ones are refused
)

// truant is a memcached that has no record, and is away for a while.
type truant struct {
	t        *testing.T
	how      string
	from, to time.Duration
	listener net.Listener
	address  string

	mu    sync.Mutex
	begin time.Time // of the script; zero before it is known
	open  map[net.Conn]bool
}

func newTruant(t *testing.T, how string, from, to time.Duration) *truant {
	t.Helper()
	s := &truant{t: t, how: how, from: from, to: to, open: map[net.Conn]bool{}}
	s.listen("127.0.0.1:0")
	s.address = s.listener.Addr().String()
	t.Cleanup(s.leave)
	return s
}

func (s *truant) listen(address string) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		s.t.Error(err)
		return
	}
	s.mu.Lock()
	s.listener = listener
	s.mu.Unlock()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.open[conn] = true
			s.mu.Unlock()
			go s.serve(conn)
		}
	}()
}

// leave ends what there is.
func (s *truant) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listener.Close()
	for conn := range s.open {
		conn.Close()
	}
	clear(s.open)
}

// run is told when the script begins.
func (s *truant) run(begin time.Time) {
	s.mu.Lock()
	s.begin = begin
	s.mu.Unlock()
	if s.how == refuses {
		time.AfterFunc(time.Until(begin.Add(s.from)), s.leave)
		time.AfterFunc(time.Until(begin.Add(s.to)), func() { s.listen(s.address) })
	}
}

// away is for how long it still is.
func (s *truant) away() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since := time.Since(s.begin); !s.begin.IsZero() && since >= s.from && since < s.to {
		return s.to - since
	}
	return 0
}

func (s *truant) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch away := s.away(); {
		case away > 0 && s.how == swallows:
			_, _ = io.Copy(io.Discard, in)
			return
		case away > 0 && s.how == pauses:
			time.Sleep(away)
		}
		answer := "EN\r\n"
		switch command, _, _ := strings.Cut(strings.TrimSpace(line), " "); command {
		case "version":
			answer = "VERSION 1.6.18\r\n"
		case "mn":
			answer = "MN\r\n"
		}
		if _, err := io.WriteString(conn, answer); err != nil {
			return
		}
	}
}

// Operations share connections, which are replaced when the server is away. That adds little to the outage.
func TestSharedConnectionsAreBackAsSoonAsTheServerIs(t *testing.T) {
	const from, length = time.Second, 3 * time.Second // after the warm-up
	for _, how := range []string{pauses, swallows, refuses} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			for attempt := 1; ; attempt++ {
				begin := 500*time.Millisecond + from
				s := newTruant(t, how, begin, begin+length)
				j, server, _ := job(t, scripted.Script{}, preset(t, "C"), plan.Load{
					Rate: 100, Arrivals: plan.ArrivalsConstant, MaxInFlight: 1000, WarmupMillis: 500, OperationTimeoutMillis: 4000, Connections: 16,
				})
				j.Store = memcached.Entry()
				j.Plan.Store.Mode = j.Store.DefaultMode
				j.Plan.Store.Members = []plan.Member{{Name: "m-0", Address: s.address}}
				server.begun = s.run
				r, lagMicros, busy := measureOutageOf(t, j, server, from, length)
				f := r.Faults[0]
				outage := time.Duration(*f.OutageMicros) * time.Microsecond
				t.Logf("outage %v ± %d µs, %d in all, 80 %% of the lags up to %d µs, busy %t, connections %+v",
					outage, *f.OutageErrorMicros, *f.Outages, lagMicros, busy, r.Workloads[0].Generator.Connections)
				// The next attempt to connect begins so much after the server's return at the latest.
				by := conn.AttemptEvery + 20*time.Millisecond + min(100*time.Millisecond, time.Duration(*f.OutageErrorMicros)*time.Microsecond)
				off := outage - length
				wrong := off.Abs() > by || *f.Outages != 1
				if busy && wrong && attempt < 3 {
					continue // the server's own process came late
				}
				if wrong {
					t.Errorf("outage of %v reported as %v, and %d of them; within %v was wanted (machine busy: %t)", length, outage, *f.Outages, by, busy)
				}
				return
			}
		})
	}
}
