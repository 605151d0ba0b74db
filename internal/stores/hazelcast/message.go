package hazelcast

import (
	"encoding/binary"
	"math"
)

// A message is frames. Each begins with its length, which counts itself, and its flags; the
// first frame's content begins with what every message has, and goes on with those of its
// parameters that have a fixed size. All numbers are little-endian.
const (
	frameHeader = 6

	flagUnfragmented = 1<<15 | 1<<14
	flagFinal        = 1 << 13
	flagBegin        = 1 << 12
	flagEnd          = 1 << 11
	flagNull         = 1 << 10
	flagEvent        = 1 << 9

	offsetKind        = 0
	offsetCorrelation = 4
	offsetPartition   = 12
	offsetRequest     = 16 // where a request's own parameters begin, and an event's
	offsetReply       = 13 // where a reply's begin, behind the number of its backups' acknowledgements

	bytesUUID = 17 // whether it is null, and its two halves
)

// noPartition is of requests that any member answers.
const noPartition = -1

// builder appends messages to out.
type builder struct {
	out  []byte
	last int // where the last frame begins
}

// begin appends a message's first frame, and returns its own parameters, so many bytes of 0.
func (b *builder) begin(kind uint32, correlation int64, partition int32, parameters int) []byte {
	content := b.frame(flagUnfragmented, offsetRequest+parameters)
	binary.LittleEndian.PutUint32(content[offsetKind:], kind)
	binary.LittleEndian.PutUint64(content[offsetCorrelation:], uint64(correlation))
	binary.LittleEndian.PutUint32(content[offsetPartition:], uint32(partition))
	return content[offsetRequest:]
}

// end makes the last frame the message's last.
func (b *builder) end() {
	flags := b.out[b.last+4:]
	binary.LittleEndian.PutUint16(flags, binary.LittleEndian.Uint16(flags)|flagFinal)
}

func (b *builder) frame(flags uint16, length int) (content []byte) {
	b.last = len(b.out)
	b.out = binary.LittleEndian.AppendUint32(b.out, uint32(frameHeader+length))
	b.out = binary.LittleEndian.AppendUint16(b.out, flags)
	begin := len(b.out)
	for range length {
		b.out = append(b.out, 0)
	}
	return b.out[begin:]
}

func (b *builder) bytes(content []byte) {
	b.frame(0, 0)
	b.out = append(b.out, content...)
	b.patch()
}

func (b *builder) text(content string) {
	b.frame(0, 0)
	b.out = append(b.out, content...)
	b.patch()
}

func (b *builder) null() { b.frame(flagNull, 0) }

// patch writes the last frame's length once its content is there.
func (b *builder) patch() {
	binary.LittleEndian.PutUint32(b.out[b.last:], uint32(len(b.out)-b.last))
}

// frame is one of a message that was read.
type frame struct {
	flags   uint16
	content []byte
}

func (f frame) is(flag uint16) bool { return f.flags&flag != 0 }

// message is one that was read. Its frames are valid until the next one is read.
type message struct {
	frames []frame
}

func (m *message) kind() uint32 { return binary.LittleEndian.Uint32(m.frames[0].content[offsetKind:]) }

func (m *message) correlation() int64 {
	return int64(binary.LittleEndian.Uint64(m.frames[0].content[offsetCorrelation:]))
}

func (m *message) isEvent() bool { return m.frames[0].is(flagEvent) }

// appendContents appends all that it says, without the number of the request that it belongs to.
func (m *message) appendContents(out []byte) []byte {
	for i, f := range m.frames {
		content := f.content
		if i == 0 {
			content = content[min(offsetRequest, len(content)):]
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(len(content)))
		out = binary.LittleEndian.AppendUint16(out, f.flags)
		out = append(out, content...)
	}
	return out
}

// uuid is a member's name among the members.
type uuid struct{ high, low uint64 }

// uuidAt reads one; the zero value is that of nobody.
func uuidAt(content []byte, offset int) (uuid, bool) {
	if len(content) < offset+bytesUUID {
		return uuid{}, false
	}
	if content[offset] != 0 {
		return uuid{}, true
	}
	return uuid{
		high: binary.LittleEndian.Uint64(content[offset+1:]),
		low:  binary.LittleEndian.Uint64(content[offset+9:]),
	}, true
}

func putUUID(content []byte, id uuid) {
	content[0] = 0
	binary.LittleEndian.PutUint64(content[1:], id.high)
	binary.LittleEndian.PutUint64(content[9:], id.low)
}

// int32At is -1 where the content is too short.
func int32At(content []byte, offset int) int32 {
	if len(content) < offset+4 {
		return -1
	}
	value := binary.LittleEndian.Uint32(content[offset:])
	if value > math.MaxInt32 {
		return -1
	}
	return int32(value)
}
