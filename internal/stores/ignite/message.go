package ignite

import "encoding/binary"

// A message is its length and its content, of little-endian numbers. A request begins with the
// kind of its operation and its own number, an answer with that number and flags.
const (
	bytesLength = 4

	flagError    = 1
	flagTopology = 2 // the members, or what they own, are others than in the last answer
	flagEvent    = 4
)

// Types of objects (https://ignite.apache.org/docs/latest/binary-client-protocol/data-format).
const (
	typeInt       = 3
	typeString    = 9
	typeUUID      = 10
	typeByteArray = 12
	typeNull      = 101
)

// builder appends messages to out.
type builder struct {
	out   []byte
	begun int // where the last message begins
}

// begin begins a request.
func (b *builder) begin(kind uint16, number int64) {
	b.open()
	b.out = binary.LittleEndian.AppendUint16(b.out, kind)
	b.int64(number)
}

func (b *builder) open() {
	b.begun = len(b.out)
	b.out = append(b.out, 0, 0, 0, 0)
}

// end writes the message's length.
func (b *builder) end() {
	binary.LittleEndian.PutUint32(b.out[b.begun:], uint32(len(b.out)-b.begun-bytesLength))
}

func (b *builder) byte(value byte)   { b.out = append(b.out, value) }
func (b *builder) bytes(data []byte) { b.out = append(b.out, data...) }
func (b *builder) int16(value int16) { b.out = binary.LittleEndian.AppendUint16(b.out, uint16(value)) }
func (b *builder) int32(value int32) { b.out = binary.LittleEndian.AppendUint32(b.out, uint32(value)) }
func (b *builder) int64(value int64) { b.out = binary.LittleEndian.AppendUint64(b.out, uint64(value)) }

func (b *builder) bool(value bool) {
	if value {
		b.byte(1)
	} else {
		b.byte(0)
	}
}

func (b *builder) text(value string) {
	b.byte(typeString)
	b.int32(int32(len(value)))
	b.out = append(b.out, value...)
}

func (b *builder) uuid(id uuid) {
	b.byte(typeUUID)
	b.int64(int64(id.high))
	b.int64(int64(id.low))
}

// message is an answer. Its body is valid until the next one is read.
type message struct {
	number   int64
	status   int32 // 0 is success
	event    bool
	moved    bool // topology is another one than in the last answer
	topology version
	body     input
}

// version is a state of the members and of what they own; later ones are greater.
type version struct {
	major int64
	minor int32
}

func (v version) after(other version) bool {
	return v.major > other.major || v.major == other.major && v.minor > other.minor
}

// decodeMessage reads what comes before the body.
func decodeMessage(data []byte) (message, error) {
	in := input{data: data}
	m := message{number: in.int64()}
	flags := in.int16()
	if flags&flagTopology != 0 {
		m.moved, m.topology = true, version{major: in.int64(), minor: in.int32()}
	}
	if flags&flagEvent != 0 {
		m.event = true
		in.int16() // its kind
	}
	if flags&flagError != 0 {
		m.status = in.int32()
		if m.status == 0 {
			in.short = true
		}
	}
	m.body = in
	return m, in.err()
}
