package hazelcast

import (
	"encoding/binary"
	"fmt"
)

const (
	kindRefGet      = 0x0A0400
	kindRefSet      = 0x0A0500
	kindCreateGroup = 0x1E0100
)

// cpGroup is a raft group's name on the wire.
type cpGroup struct {
	seed, id uint64
	name     string
}

// append is the group in a request: a structure of its two numbers and its name.
func (g *cpGroup) append(b *builder) {
	b.frame(flagBegin, 0)
	numbers := b.frame(0, 16)
	binary.LittleEndian.PutUint64(numbers, g.seed)
	binary.LittleEndian.PutUint64(numbers[8:], g.id)
	b.text(g.name)
	b.frame(flagEnd, 0)
}

// appendCreateGroup asks for the group that an object belongs to, which is made if need be.
func appendCreateGroup(b *builder, number int64, object string) {
	b.begin(kindCreateGroup, number, noPartition, 0)
	b.text(object)
	b.end()
}

func decodeGroup(m *message) (cpGroup, error) {
	if len(m.frames) < 5 || !m.frames[1].is(flagBegin) || len(m.frames[2].content) < 16 {
		return cpGroup{}, fmt.Errorf("%w: a group without its numbers", errProtocol)
	}
	numbers := m.frames[2].content
	return cpGroup{
		seed: binary.LittleEndian.Uint64(numbers), id: binary.LittleEndian.Uint64(numbers[8:]), name: string(m.frames[3].content),
	}, nil
}

// appendRefGet asks for the value of an object.
func appendRefGet(b *builder, number int64, g *cpGroup, object []byte) {
	b.begin(kindRefGet, number, noPartition, 0)
	g.append(b)
	b.bytes(object)
	b.end()
}

// appendRefSet asks for an object to have a value, nil for none, and for the one before if it is
// wanted.
func appendRefSet(b *builder, number int64, g *cpGroup, object, value []byte, before bool) {
	own := b.begin(kindRefSet, number, noPartition, 1)
	if before {
		own[0] = 1
	}
	g.append(b)
	b.bytes(object)
	if value == nil {
		b.null()
	} else {
		b.bytes(value)
	}
	b.end()
}
