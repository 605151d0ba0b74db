package conn

import (
	"context"
	"net"
	"testing"
	"time"
)

func TestALoopLooksIntoTheSocketAfterAPauseAlone(t *testing.T) {
	server := startEcho(t, "127.0.0.1:0")
	own := NewOwn(func(ctx context.Context) (*Conn, error) {
		reached, err := net.Dial("tcp", server.address())
		if err != nil {
			return nil, err
		}
		return New(reached)
	}, &Counts{})
	defer own.Drop()
	if err := own.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	looks, look := 0, own.conn.peek.look
	own.conn.peek.look = func(fd uintptr) {
		looks++
		look(fd)
	}
	now := time.Now()
	for i, c := range []struct {
		pause time.Duration
		looks int
	}{{0, 1}, {fresh - 1, 1}, {fresh - 1, 1}, {fresh, 2}, {fresh - 1, 2}, {time.Second, 3}} {
		now = now.Add(c.pause)
		if sound := own.sound(now, now.Add(time.Minute)); !sound || looks != c.looks {
			t.Errorf("request %d, %s after the one before: sound %t, %d looks, want %d", i, c.pause, sound, looks, c.looks)
		}
	}
	server.stop()
	for begun := time.Now(); own.Sound(); {
		if time.Since(begun) > time.Minute {
			t.Fatal("the end of the connection is not seen")
		}
	}
	if now = now.Add(fresh); own.sound(now, now.Add(time.Minute)) || own.Conn() != nil {
		t.Error("a connection that has ended is used")
	}
}
