package ignite

import "encoding/binary"

// input reads what an answer holds. Beyond its end everything is 0.
type input struct {
	data  []byte
	short bool // something ended early, or was of another type
}

func (in *input) err() error {
	if in.short {
		return errProtocol
	}
	return nil
}

// take is the next so many bytes.
func (in *input) take(length int) []byte {
	if in.short || length < 0 || length > len(in.data) {
		in.short = true
		return nil
	}
	taken := in.data[:length:length]
	in.data = in.data[length:]
	return taken
}

func (in *input) byte() byte {
	if data := in.take(1); data != nil {
		return data[0]
	}
	return 0
}

func (in *input) bool() bool { return in.byte() != 0 }

func (in *input) int16() int16 {
	if data := in.take(2); data != nil {
		return int16(binary.LittleEndian.Uint16(data))
	}
	return 0
}

func (in *input) int32() int32 {
	if data := in.take(4); data != nil {
		return int32(binary.LittleEndian.Uint32(data))
	}
	return 0
}

func (in *input) int64() int64 {
	if data := in.take(8); data != nil {
		return int64(binary.LittleEndian.Uint64(data))
	}
	return 0
}

// count is a number of things that take at least so many bytes each: more of them than there are
// bytes is none.
func (in *input) count(bytesEach int) int {
	count := int(in.int32())
	if count < 0 || count > len(in.data)/bytesEach {
		in.short = true
		return 0
	}
	return count
}

// object is the content of a string or an array of bytes, and whether there is one: null is none.
func (in *input) object(kind byte) (content []byte, there bool) {
	switch in.byte() {
	case typeNull:
		return nil, false
	case kind:
		return in.take(int(in.int32())), true
	}
	in.short = true
	return nil, false
}

// uuid is a member's name among the members.
type uuid struct{ high, low uint64 }

func (in *input) uuid() uuid {
	if in.byte() != typeUUID {
		in.short = true
	}
	return uuid{high: uint64(in.int64()), low: uint64(in.int64())}
}
