package pace

import (
	"net"
	"slices"
	"testing"
	"time"
)

// BenchmarkAnswer is what the pacer costs a store's answers: the times of b.N round trips
// over loopback, a hundred in a second, while nothing waits beside them, and while a Waiter
// does. Run it with -cpu=1,2: on a single core a waiter that keeps its thread or spins
// holds up the answers by milliseconds.
func BenchmarkAnswer(b *testing.B) {
	b.Run("alone", benchAnswer)
	b.Run("beside=waiter", func(b *testing.B) {
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			waiter := NewWaiter()
			defer waiter.Close()
			for {
				select {
				case <-stop:
					return
				default:
					waiter.Sleep(time.Millisecond)
				}
			}
		}()
		benchAnswer(b)
		close(stop)
		<-stopped
	})
}

func benchAnswer(b *testing.B) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	go echo(listener)
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	var message [1]byte
	took := make([]time.Duration, 0, b.N)
	for tick := time.NewTicker(10 * time.Millisecond); len(took) < b.N; <-tick.C {
		began := time.Now()
		if _, err := conn.Write(message[:]); err != nil {
			b.Fatal(err)
		}
		if _, err := conn.Read(message[:]); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "answer-p50-us")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "answer-p95-us")
}

// echo answers one connection until it is closed.
func echo(listener net.Listener) {
	conn, err := listener.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	var message [1]byte
	for {
		if _, err := conn.Read(message[:]); err != nil {
			return
		}
		if _, err := conn.Write(message[:]); err != nil {
			return
		}
	}
}
