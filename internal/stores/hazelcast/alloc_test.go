package hazelcast

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
	request := make([]byte, length)
	for {
		if _, err := io.ReadFull(conn, request); err != nil {
			return
		}
		copy(answer[frameHeader+offsetCorrelation:], request[frameHeader+offsetCorrelation:][:8])
		if _, err := conn.Write(answer); err != nil {
			t.Error(err)
			return
		}
	}
}

func TestAnOperationAllocatesNothing(t *testing.T) {
	key, value := []byte("user1"), []stores.Field{{Name: "field0", Value: []byte("value")}}
	data := endData(stores.EncodeRecord(beginData(nil, typeByteArray), value))
	for kind, request := range map[stores.Kind]func(*builder){
		stores.Read:   func(b *builder) { appendGet(b, 1, 0, "t", appendKey(nil, key)) },
		stores.Update: func(b *builder) { appendSet(b, 1, 0, "t", appendKey(nil, key), data, 0) },
	} {
		t.Run(kind.String(), func(t *testing.T) {
			here, there := pipe(t)
			var sent, answer builder
			request(&sent)
			asked := readFirst(sent.out)
			beginReply(&answer, asked, 0)
			if kind == stores.Read {
				answer.bytes(data)
			}
			answer.end()
			go echo(t, there, len(sent.out), answer.out)

			l := newLink("", "")
			l.Own = conn.NewOwn(func(context.Context) (*conn.Conn, error) {
				made, err := conn.New(here)
				if err == nil {
					l.in.in = made.In
				}
				return made, err
			}, &conn.Counts{})
			l.said.partitions = testPartitions
			known := &clusterView{names: make([]uuid, 1)}
			known.count.Store(testPartitions)
			s := &session{clusterView: known, links: []*link{l}}
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

// A key's place in a request doesn't depend on anything but its length.
func TestRequestsOfOneKeyAreOfOneLength(t *testing.T) {
	var one, other builder
	appendGet(&one, 1, 0, "t", appendKey(nil, []byte("user1")))
	appendGet(&other, 1<<40, 6, "t", appendKey(nil, []byte("user9")))
	if len(one.out) != len(other.out) || binary.LittleEndian.Uint32(one.out) != frameHeader+offsetRequest+8 {
		t.Errorf("%d and %d bytes", len(one.out), len(other.out))
	}
}
