package listenlimit

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// acceptFrom hands over what a listener accepts, until it is closed.
func acceptFrom(listener net.Listener) <-chan net.Conn {
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	return accepted
}

func TestConnectionsAreBounded(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	limited := New(inner, 1, 1)
	accepted := acceptFrom(limited)
	for range 2 {
		c, err := net.Dial("tcp", inner.Addr().String())
		must(t, err)
		defer c.Close()
	}
	first := <-accepted
	select {
	case <-accepted:
		t.Error("a second connection was accepted beside the first")
	case <-time.After(50 * time.Millisecond):
	}
	must(t, first.Close())
	second := <-accepted
	must(t, limited.Close())
	if _, ok := <-accepted; ok {
		t.Error("a closed listener accepts")
	}
	must(t, second.Close())
}

func TestOneAddressCantKeepTheOthersOut(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	limited := New(inner, 3, 2)
	defer func() { must(t, limited.Close()) }()
	accepted := acceptFrom(limited)
	dial := func(from string) net.Conn {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
		c, err := dialer.DialContext(t.Context(), "tcp", inner.Addr().String())
		must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	dial("127.0.0.1")
	first := <-accepted
	dial("127.0.0.1")
	<-accepted
	beyond := dial("127.0.0.1")
	must(t, beyond.SetReadDeadline(time.Now().Add(5*time.Second)))
	if _, err := beyond.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the third connection of one address: %v, want it closed", err)
	}
	dial("127.0.0.2")
	third := <-accepted
	if got := sourceOf(third); got != "127.0.0.2" {
		t.Errorf("accepted one from %s", got)
	}
	must(t, first.Close())
	must(t, third.Close())
	dial("127.0.0.1")
	<-accepted
}
