package hazelcast

import (
	"encoding/binary"
	"fmt"
	"time"
)

// Kinds of messages. A reply's is its request's and 1.
const (
	kindError          = 0x000000
	kindAuthentication = 0x000100
	kindClusterView    = 0x000300
	kindMembersView    = 0x000302
	kindPartitionsView = 0x000303
	kindPing           = 0x000B00
	kindMapGet         = 0x010200
	kindMapRemove      = 0x010300
	kindMapSet         = 0x010F00
	kindMapClear       = 0x012D00
)

// threadID is for locks, which nobody here takes.
const threadID = 1

// appendAuthentication asks to be a client. The names are those of Hazelcast's own client in Go.
func appendAuthentication(b *builder, correlation int64, client uuid, cluster string) {
	own := b.begin(kindAuthentication, correlation, noPartition, bytesUUID+1)
	putUUID(own, client)
	own[bytesUUID] = 1 // version of the serialization
	b.text(cluster)
	b.null() // user
	b.null() // password
	b.text("GOO")
	b.text("5.4.0")
	b.text("kvbench")
	b.frame(flagBegin, 0) // labels
	b.frame(flagEnd, 0)
	b.end()
}

// authenticated is what a member said of itself.
type authenticated struct {
	member     uuid
	partitions int32
}

func decodeAuthentication(m *message) (authenticated, error) {
	first := m.frames[0].content
	if len(first) < offsetReply+1 {
		return authenticated{}, errProtocol
	}
	switch status := first[offsetReply]; status {
	case 0:
	case 1:
		return authenticated{}, fmt.Errorf("hazelcast: refused by the name of the cluster: set %s", clusterName)
	default:
		return authenticated{}, fmt.Errorf("hazelcast: refused with status %d", status)
	}
	member, ok := uuidAt(first, offsetReply+1)
	partitions := int32At(first, offsetReply+1+bytesUUID+1)
	if !ok || partitions < 1 || partitions > maxPartitions {
		return authenticated{}, errProtocol
	}
	return authenticated{member: member, partitions: partitions}, nil
}

// maxPartitions is more than any cluster has; 271 is the default.
const maxPartitions = 100_000

// appendPlain is a request without parameters.
func appendPlain(b *builder, kind uint32, correlation int64) {
	b.begin(kind, correlation, noPartition, 0)
	b.end()
}

func appendGet(b *builder, correlation int64, partition int32, table string, key []byte) {
	appendKeyed(b, kindMapGet, correlation, partition, table, key)
}

// appendRemove asks for the entry's end; the reply has its value.
func appendRemove(b *builder, correlation int64, partition int32, table string, key []byte) {
	appendKeyed(b, kindMapRemove, correlation, partition, table, key)
}

func appendKeyed(b *builder, kind uint32, correlation int64, partition int32, table string, key []byte) {
	own := b.begin(kind, correlation, partition, 8)
	binary.LittleEndian.PutUint64(own, threadID)
	b.text(table)
	b.bytes(key)
	b.end()
}

// appendSet asks for an entry that stays for ttl, or for ever.
func appendSet(b *builder, correlation int64, partition int32, table string, key, value []byte, ttl time.Duration) {
	own := b.begin(kindMapSet, correlation, partition, 16)
	binary.LittleEndian.PutUint64(own, threadID)
	binary.LittleEndian.PutUint64(own[8:], uint64(ttl.Milliseconds()))
	b.text(table)
	b.bytes(key)
	b.bytes(value)
	b.end()
}

func appendClear(b *builder, correlation int64, table string) {
	b.begin(kindMapClear, correlation, noPartition, 0)
	b.text(table)
	b.end()
}

// decodeValue is the value in a reply, and whether there is one.
func decodeValue(m *message) (data []byte, there bool, err error) {
	if len(m.frames) < 2 {
		return nil, false, errProtocol
	}
	return m.frames[1].content, !m.frames[1].is(flagNull), nil
}

// decodeMembers counts the members of a view. Each of the list is a structure, which may have
// others in it.
func decodeMembers(m *message) (count int, err error) {
	depth := 0
	for _, f := range m.frames[1:] {
		switch {
		case f.is(flagBegin):
			if depth++; depth == 2 {
				count++
			}
		case f.is(flagEnd):
			depth--
		}
	}
	if depth != 0 {
		return 0, errProtocol
	}
	return count, nil
}

// decodePartitions returns the owner of each partition that the view tells of: a list of
// lists of partitions, and then their owners.
func decodePartitions(m *message, count int32) ([]uuid, error) {
	frames := m.frames[1:]
	if len(frames) < 3 || !frames[0].is(flagBegin) {
		return nil, errProtocol
	}
	lists := frames[1:]
	for i := range lists {
		if lists[i].is(flagEnd) {
			if i+1 >= len(lists) || len(lists[i+1].content) != i*bytesUUID {
				return nil, errProtocol
			}
			return ownersOf(lists[:i], lists[i+1].content, count)
		}
	}
	return nil, errProtocol
}

func ownersOf(lists []frame, members []byte, count int32) ([]uuid, error) {
	owners := make([]uuid, count)
	for i, list := range lists {
		member, _ := uuidAt(members, i*bytesUUID)
		for at := 0; at+4 <= len(list.content); at += 4 {
			partition := int32At(list.content, at)
			if partition < 0 || partition >= count {
				return nil, fmt.Errorf("%w: partition %d of %d", errProtocol, partition, count)
			}
			owners[partition] = member
		}
	}
	return owners, nil
}
