package ignite

import (
	"bufio"
	"encoding/binary"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// request is one that a fake member got.
type request struct {
	kind   uint16
	number int64
	body   input
}

// member is a fake one: it answers what it is told to, and notes what it was asked.
type member struct {
	address string
	name    uuid
	answer  func(r request, reply *builder) bool // false ends the connection

	mu     sync.Mutex
	asked  map[uint16]int
	owners map[uuid][]int32
	at     version
	state  byte
	sees   int
	// password is what clients have to show; "" is nothing.
	password string
	hold     chan struct{} // what the answer to an introduction waits for; nil is nothing
	met      int           // introductions
	holds    uint16        // requests of this kind have no answer, and are held
	held     []heldRequest
	// Of all of its caches.
	atomicity, entities int32
}

// heldRequest is one that has no answer yet.
type heldRequest struct {
	from    net.Conn
	request request
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

func newMember(t *testing.T, low uint64, answer func(request, *builder) bool) *member {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &member{
		address: listener.Addr().String(), name: uuid{low: low}, answer: answer,
		asked: map[uint16]int{}, at: version{major: 1}, state: stateActive, sees: 1, atomicity: atomicityAtomic, entities: 1,
	}
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
	first, err := in.next()
	if err != nil || first[0] != introduction {
		return
	}
	var reply builder
	f.meet(first, &reply)
	told := version{major: -2} // so that the first answer has the version
	for {
		if _, err := conn.Write(reply.out); err != nil {
			return
		}
		data, err := in.next()
		if err != nil {
			return
		}
		r := request{kind: binary.LittleEndian.Uint16(data), number: int64(binary.LittleEndian.Uint64(data[2:])), body: input{data: data[10:]}}
		reply.out = reply.out[:0]
		f.mu.Lock()
		f.asked[r.kind]++
		moved := f.at.after(told)
		told = f.at
		good := true
		if r.kind == f.holds {
			f.held = append(f.held, heldRequest{conn, r})
		} else {
			good = f.reply(r, &reply, moved)
		}
		f.mu.Unlock()
		if !good {
			return
		}
	}
}

// meet answers an introduction.
func (f *member) meet(first []byte, reply *builder) {
	f.mu.Lock()
	f.met++
	password, hold := f.password, f.hold
	f.mu.Unlock()
	if hold != nil {
		<-hold
	}
	about := input{data: first}
	about.take(1 + 3*2 + 1)
	about.object(typeByteArray)
	name, _ := about.object(typeString)
	shown, _ := about.object(typeString)
	if password != "" && (string(name) != user || string(shown) != password) {
		replyRefusal(reply, statusUnauthenticated, "it is not you")
		return
	}
	replyIntroduction(reply, f.name)
}

// reply answers what each member is asked, and leaves the rest to the test.
func (f *member) reply(r request, reply *builder, moved bool) bool {
	begin := func() {
		if moved {
			beginMovedReply(reply, r, f.at)
		} else {
			beginReply(reply, r)
		}
	}
	switch r.kind {
	case kindGetOrCreate:
		begin()
	case kindConfiguration:
		begin()
		appendTestConfiguration(reply, f.atomicity, f.entities)
	case kindPartitions:
		r.body.int32()
		begin()
		appendTestPartitions(reply, f.at, r.body.int32(), f.owners)
	case kindState:
		begin()
		reply.byte(f.state)
	case kindNodes:
		begin()
		reply.bool(true)
		reply.int64(1)
		reply.int32(int32(f.sees))
		for range f.sees {
			reply.int64(1)
			reply.int64(2)
		}
	default:
		return f.answer(r, reply)
	}
	reply.end()
	return true
}

// set changes what the member knows.
func (f *member) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	f.at.minor++
}

func (f *member) wasAsked(kind uint16) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[kind]
}

func replyIntroduction(b *builder, name uuid) {
	b.open()
	b.bool(true)
	b.byte(typeByteArray)
	b.int32(1)
	b.byte(featureStates | featureGroups)
	b.uuid(name)
	b.end()
}

func replyRefusal(b *builder, status int32, why string) {
	b.open()
	b.bool(false)
	b.int16(1)
	b.int16(7)
	b.int16(0)
	b.text(why)
	b.int32(status)
	b.end()
}

func beginReply(b *builder, r request) {
	b.open()
	b.int64(r.number)
	b.int16(0)
}

func beginMovedReply(b *builder, r request, at version) {
	b.open()
	b.int64(r.number)
	b.int16(flagTopology)
	b.int64(at.major)
	b.int32(at.minor)
}

func replyError(b *builder, r request, status int32) {
	b.open()
	b.int64(r.number)
	b.int16(flagError)
	b.int32(status)
	b.text("it did not work")
	b.end()
}

// appendTestConfiguration is a cache's configuration with so many query entities, of which nothing
// is read.
func appendTestConfiguration(b *builder, atomicity, entities int32) {
	b.int32(0)
	b.int32(atomicity)
	b.bytes(make([]byte, 4+4+1))
	b.byte(typeNull) // region
	b.bytes(make([]byte, 1+1))
	b.byte(typeNull) // group
	b.bytes(make([]byte, 8+4+4))
	b.text("atomic-t")
	b.bytes(make([]byte, 1+4+4+4+1+4+8+8+4+4+8+8+1+4))
	b.byte(typeNull) // schema
	b.bytes(make([]byte, 4))
	b.int32(1) // key configurations
	b.text("type")
	b.text("field")
	b.int32(entities)
}

// appendTestPartitions is the answer of who owns the partitions of a cache.
func appendTestPartitions(b *builder, at version, cache int32, owners map[uuid][]int32) {
	b.int64(at.major)
	b.int32(at.minor)
	b.int32(1)
	b.bool(true)
	b.int32(1)
	b.int32(cache)
	b.int32(1) // fields of keys
	b.int32(5)
	b.int32(6)
	b.int32(int32(len(owners)))
	for owner, partitions := range owners {
		b.uuid(owner)
		b.int32(int32(len(partitions)))
		for _, partition := range partitions {
			b.int32(partition)
		}
	}
}

// appendTestPage is a page of records of one field.
func appendTestPage(b *builder, values []string, more bool) {
	b.int32(int32(len(values)))
	for _, value := range values {
		b.bytes(endValue(stores.EncodeRecord(beginValue(nil), []stores.Field{{Name: "f", Value: []byte(value)}})))
	}
	b.bool(more)
}

// until looks again and again, within half a minute.
func until(t *testing.T, what string, look func() bool) {
	t.Helper()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(30 * time.Second); !look(); <-again.C {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}
