package conn

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// echo is a member that answers each line with itself.
type echo struct {
	listener net.Listener

	mu      sync.Mutex
	pause   chan struct{} // nil, or closed when it goes on; nothing is answered until then
	open    map[net.Conn]bool
	most    int // that were open at a time
	opened  int
	swallow bool
	stopped bool
}

func startEcho(t *testing.T, address string) *echo {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{listener: listener, open: map[net.Conn]bool{}}
	t.Cleanup(e.stop)
	go func() {
		for {
			accepted, err := listener.Accept()
			if err != nil {
				return
			}
			e.mu.Lock()
			if e.stopped { // it was accepted just before
				accepted.Close()
			}
			e.open[accepted] = true
			e.opened++
			e.most = max(e.most, len(e.open))
			e.mu.Unlock()
			go e.serve(accepted)
		}
	}()
	return e
}

func (e *echo) address() string { return e.listener.Addr().String() }

// stop is the end of its process.
func (e *echo) stop() {
	e.listener.Close()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	for accepted := range e.open {
		accepted.Close()
	}
}

func (e *echo) serve(accepted net.Conn) {
	defer func() {
		accepted.Close()
		e.mu.Lock()
		delete(e.open, accepted)
		e.mu.Unlock()
	}()
	in := bufio.NewReader(accepted)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		e.mu.Lock()
		pause, swallow := e.pause, e.swallow
		e.mu.Unlock()
		if pause != nil {
			<-pause
		}
		if swallow {
			continue
		}
		if _, err := io.WriteString(accepted, line); err != nil {
			return
		}
	}
}

// hold answers nothing until what it returns is called.
func (e *echo) hold() (release func()) {
	pause := make(chan struct{})
	e.mu.Lock()
	e.pause = pause
	e.mu.Unlock()
	return func() {
		e.mu.Lock()
		e.pause = nil
		e.mu.Unlock()
		close(pause)
	}
}

// counts are how many connections there are, were at most, and were made.
func (e *echo) counts() (open, most, opened int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.open), e.most, e.opened
}

// closeOne ends one connection.
func (e *echo) closeOne() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for accepted := range e.open {
		accepted.Close()
		return
	}
}

// number is an exchange of a number.
type number struct {
	value int
	got   int
}

func (n *number) Request() []byte { return fmt.Appendln(nil, n.value) }

func (n *number) Answer(in *bufio.Reader) error {
	text, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	_, err = fmt.Sscanln(text, &n.got)
	return err
}

// dialer greets with the number 0.
func dialer(address string) Dialer {
	return Dialer{Reach: Reach(address), Greet: func(_ context.Context, reached net.Conn) (*Conn, error) {
		made, err := New(reached)
		if err != nil {
			return nil, err
		}
		hello := &number{}
		if _, err := made.Write(hello.Request()); err != nil {
			return nil, err
		}
		return made, hello.Answer(made.In)
	}}
}

func share(t *testing.T, e *echo, connections, depth int) (*Shared, *Counts) {
	t.Helper()
	counts := &Counts{}
	s := NewShared(dialer(e.address()), counts, connections, depth)
	t.Cleanup(s.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.Await(ctx); err != nil {
		t.Fatal(err)
	}
	return s, counts
}

func within(d time.Duration) *Span { return &Span{Deadline: time.Now().Add(d)} }

// eventually waits for a condition.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it is not so that %s", what)
		}
	}
}
