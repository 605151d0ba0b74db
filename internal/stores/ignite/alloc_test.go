package ignite

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// echo is a member that answers each request with the same bytes but for its number, and takes no
// memory for it. All requests are of one length.
func echo(t *testing.T, conn net.Conn, length int, answer []byte) {
	asked := make([]byte, length)
	for {
		if _, err := io.ReadFull(conn, asked); err != nil {
			return
		}
		copy(answer[bytesLength:], asked[bytesLength+2:][:8]) // behind the kind
		if _, err := conn.Write(answer); err != nil {
			t.Error(err)
			return
		}
	}
}

func TestAnOperationAllocatesNothing(t *testing.T) {
	key, value := []byte("user1"), []stores.Field{{Name: "field0", Value: []byte("value")}}
	data := endValue(stores.EncodeRecord(beginValue(nil), value))
	for kind, ask := range map[stores.Kind]func(*builder){
		stores.Read:   func(b *builder) { appendGet(b, 1, 5, appendKey(nil, key)) },
		stores.Update: func(b *builder) { appendPut(b, 1, 5, appendKey(nil, key), data, 0) },
	} {
		t.Run(kind.String(), func(t *testing.T) {
			here, there := pipe(t)
			var sent, answer builder
			ask(&sent)
			if got := binary.LittleEndian.Uint32(sent.out); int(got) != len(sent.out)-bytesLength {
				t.Fatalf("a request of %d bytes says %d", len(sent.out), got)
			}
			beginReply(&answer, request{})
			if kind == stores.Read {
				answer.bytes(data)
			}
			answer.end()
			go echo(t, there, len(sent.out), answer.out)

			known := &affinity{names: make([]uuid, 1), tables: map[string]*table{}}
			own := known.table("t")
			own.made.Store(true)
			own.places.Learn([]int16{0, 0})
			l := newLink("", nil, known.moved)
			l.Own = conn.NewOwn(func(context.Context) (*conn.Conn, error) {
				made, err := conn.New(here)
				if err == nil {
					l.in.in = made.In
				}
				return made, err
			}, &conn.Counts{})
			s := &session{affinity: known, links: []*link{l}}
			op := &stores.Op{Kind: kind, Table: "t", Key: key, Values: value, WantResult: true, Deadline: time.Now().Add(time.Minute)}
			if err := s.Do(op); err != nil {
				t.Fatal(err)
			}
			if allocations := testing.AllocsPerRun(200, func() {
				if err := s.Do(op); err != nil {
					t.Fatal(err)
				}
			}); allocations != 0 {
				t.Errorf("%v allocations for each operation", allocations)
			}
		})
	}
}

// pipe is a connection over loopback, both its ends.
func pipe(t *testing.T) (here *net.TCPConn, there net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if there, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); there.Close() })
	return conn.(*net.TCPConn), there
}
