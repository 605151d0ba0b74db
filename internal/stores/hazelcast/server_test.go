package hazelcast

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

// testPartitions is how many partitions the fake members have.
const testPartitions = 7

// member is a fake one: it answers what it is told to, and notes what it was asked.
type member struct {
	t       *testing.T
	address string
	name    uuid
	answer  func(m *message, reply *builder) bool // false ends the connection
	view    []byte                                // told to who asks for it; nil tells none
	holds   uint32                                // requests of this kind have no answer, and are held
	isBusy  bool                                  // answers a ping before it tells the view, and answers who asked for that

	mu    sync.Mutex
	asked []uint32 // kinds of requests
	views []net.Conn
	held  []heldRequest
}

// heldRequest is one that has no answer yet.
type heldRequest struct {
	from    net.Conn
	request message
}

func (f *member) hold(from net.Conn, m *message) {
	first := frame{flags: m.frames[0].flags, content: slices.Clone(m.frames[0].content)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = append(f.held, heldRequest{from, message{frames: []frame{first}}})
}

// isHolding returns the requests once there are so many; nil until then.
func (f *member) isHolding(count int) []heldRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.held) < count {
		return nil
	}
	return f.held
}

func newMember(t *testing.T, low uint64, answer func(*message, *builder) bool) *member {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &member{t: t, address: listener.Addr().String(), name: uuid{low: low}, answer: answer}
	var all sync.WaitGroup
	t.Cleanup(func() {
		listener.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { f.serve(conn) })
		}
	})
	return f
}

func (f *member) serve(conn net.Conn) {
	defer conn.Close()
	in := reader{in: bufio.NewReader(conn)}
	first := make([]byte, len(starter))
	if _, err := io.ReadFull(in.in, first); err != nil || string(first) != starter {
		return
	}
	var late builder
	for {
		m, err := in.next()
		if err != nil {
			return
		}
		f.mu.Lock()
		f.asked = append(f.asked, m.kind())
		f.mu.Unlock()
		var reply builder
		switch m.kind() {
		case kindAuthentication:
			own := beginReply(&reply, m, 1+bytesUUID+1+4+bytesUUID+1)
			putUUID(own[1:], f.name)
			binary.LittleEndian.PutUint32(own[1+bytesUUID+1:], testPartitions)
			reply.end()
		case kindClusterView:
			f.mu.Lock()
			f.views = append(f.views, conn)
			f.mu.Unlock()
			reply.out = append(reply.out, f.view...)
			beginReply(&reply, m, 0)
			reply.end()
			if f.isBusy {
				late, reply = reply, builder{}
			}
		case kindPing:
			beginReply(&reply, m, 0)
			reply.end()
			reply.out = append(reply.out, late.out...)
			late = builder{}
		case f.holds:
			f.hold(conn, m)
		default:
			if !f.answer(m, &reply) {
				return
			}
		}
		if _, err := conn.Write(reply.out); err != nil {
			return
		}
	}
}

// tell sends an event to all who asked for the view.
func (f *member) tell(event []byte) (listeners int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, conn := range f.views {
		if _, err := conn.Write(event); err == nil {
			listeners++
		}
	}
	return listeners
}

func (f *member) wasAsked(kind uint32) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.asked, kind)
}

// beginReply begins the reply to a request; its own parameters are those bytes.
func beginReply(b *builder, request *message, parameters int) []byte {
	content := b.frame(flagUnfragmented, offsetReply+parameters)
	binary.LittleEndian.PutUint32(content, request.kind()+1)
	binary.LittleEndian.PutUint64(content[offsetCorrelation:], uint64(request.correlation()))
	return content[offsetReply:]
}

func replyError(b *builder, request *message, number int32) {
	content := b.frame(flagUnfragmented, offsetReply)
	binary.LittleEndian.PutUint64(content[offsetCorrelation:], uint64(request.correlation()))
	b.frame(flagBegin, 0)
	b.frame(flagBegin, 0)
	binary.LittleEndian.PutUint32(b.frame(0, 4), uint32(number))
	b.text("com.hazelcast.Exception")
	b.text("it did not work")
	b.frame(flagEnd, 0)
	b.frame(flagEnd, 0)
	b.end()
}

// replyPage answers a statement, or a fetch, with records of one field.
func replyPage(b *builder, request *message, values []string, last bool) {
	beginReply(b, request, 9)
	if request.kind() == kindSQLExecute {
		b.frame(flagBegin, 0) // the columns
		b.frame(flagBegin, 0)
		b.frame(0, 5)
		b.text("this")
		b.frame(flagEnd, 0)
		b.frame(flagEnd, 0)
	}
	if values == nil {
		b.null()
	} else {
		b.frame(flagBegin, 0)
		flag := b.frame(0, 1)
		if last {
			flag[0] = 1
		}
		binary.LittleEndian.PutUint32(b.frame(0, 4), columnObject)
		b.frame(flagBegin, 0)
		for _, value := range values {
			record := stores.EncodeRecord(beginData(nil, typeByteArray), []stores.Field{{Name: "f", Value: []byte(value)}})
			b.bytes(endData(record))
		}
		b.frame(flagEnd, 0)
		b.frame(flagEnd, 0)
	}
	b.null() // no error
	b.end()
}

func replySQLError(b *builder, request *message, number int32) {
	beginReply(b, request, 9)
	b.null() // columns
	b.null() // page
	b.frame(flagBegin, 0)
	binary.LittleEndian.PutUint32(b.frame(0, 4+bytesUUID), uint32(number))
	b.text("it did not work")
	b.null()
	b.frame(flagEnd, 0)
	b.end()
}

// partitionsView is the event of members that own these partitions each.
func partitionsView(members []uuid, partitions [][]int32) []byte {
	var b builder
	content := b.begin(kindPartitionsView, 2, noPartition, 4)
	binary.LittleEndian.PutUint32(content, 1)
	binary.LittleEndian.PutUint16(b.out[4:], flagUnfragmented|flagEvent)
	b.frame(flagBegin, 0)
	for _, own := range partitions {
		list := b.frame(0, 4*len(own))
		for i, partition := range own {
			binary.LittleEndian.PutUint32(list[4*i:], uint32(partition))
		}
	}
	b.frame(flagEnd, 0)
	names := b.frame(0, bytesUUID*len(members))
	for i, name := range members {
		putUUID(names[bytesUUID*i:], name)
	}
	b.end()
	return b.out
}

// membersView is the event of so many members, each with a structure in its own.
func membersView(count int) []byte {
	var b builder
	b.begin(kindMembersView, 2, noPartition, 4)
	binary.LittleEndian.PutUint16(b.out[4:], flagUnfragmented|flagEvent)
	b.frame(flagBegin, 0)
	for range count {
		b.frame(flagBegin, 0)
		b.frame(0, bytesUUID+1)
		b.frame(flagBegin, 0) // its address
		b.frame(0, 4)
		b.frame(flagEnd, 0)
		b.frame(flagEnd, 0)
	}
	b.frame(flagEnd, 0)
	b.end()
	return b.out
}
