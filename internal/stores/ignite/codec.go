package ignite

import (
	"errors"
	"fmt"
	"time"
)

// Kinds of requests
// (https://ignite.apache.org/docs/latest/binary-client-protocol/key-value-queries and the pages beside it).
const (
	kindGet           = 1000
	kindPut           = 1001
	kindPutAll        = 1004
	kindClear         = 1013
	kindRemove        = 1016
	kindGetOrCreate   = 1052
	kindConfiguration = 1055
	kindPartitions    = 1101
	kindSQL           = 2004
	kindSQLPage       = 2005
	kindState         = 5000
	kindChangeState   = 5001
	kindNodes         = 5100
)

// forEver is an expiry policy's word for what stays, unchanged for what is left as it is.
const (
	forEver   = -1
	unchanged = -2
)

// appendCache is what requests to a cache begin with. Flags of 0 keep values as they are.
func appendCache(b *builder, kind uint16, number int64, cache int32) {
	b.begin(kind, number)
	b.int32(cache)
	b.byte(0)
}

// appendWriting is what requests begin with that write to a cache: what is written stays for ttl,
// or for ever. Without a policy, an update would leave the time to live of what was there.
func appendWriting(b *builder, kind uint16, number int64, cache int32, ttl time.Duration) {
	const withPolicy = 4
	b.begin(kind, number)
	b.int32(cache)
	b.byte(withPolicy)
	stays := int64(forEver)
	if ttl > 0 {
		stays = ttl.Milliseconds()
	}
	b.int64(stays) // a new entry
	b.int64(stays) // an update
	b.int64(unchanged)
}

func appendGet(b *builder, number int64, cache int32, key []byte) {
	appendCache(b, kindGet, number, cache)
	b.bytes(key)
	b.end()
}

// appendRemove asks for the entry's end; the answer says whether there was one.
func appendRemove(b *builder, number int64, cache int32, key []byte) {
	appendCache(b, kindRemove, number, cache)
	b.bytes(key)
	b.end()
}

func appendPut(b *builder, number int64, cache int32, key, value []byte, ttl time.Duration) {
	appendWriting(b, kindPut, number, cache, ttl)
	b.bytes(key)
	b.bytes(value)
	b.end()
}

func appendClear(b *builder, number int64, cache int32) {
	appendCache(b, kindClear, number, cache)
	b.end()
}

// appendGetOrCreate asks for a cache of that name: one of the template whose name fits.
func appendGetOrCreate(b *builder, number int64, name string) {
	b.begin(kindGetOrCreate, number)
	b.text(name)
	b.end()
}

func appendConfiguration(b *builder, number int64, cache int32) {
	appendCache(b, kindConfiguration, number, cache)
	b.end()
}

// Atomicity modes, as CacheAtomicityMode counts them.
const (
	atomicityTransactional = 0
	atomicityAtomic        = 1
)

// configuration is what is looked at of a cache's.
type configuration struct {
	atomicity int32
	queried   bool // SQL knows its entries
}

// decodeConfiguration reads a cache's configuration as far as its query entities.
// (https://ignite.apache.org/docs/latest/binary-client-protocol/cache-configuration#op_cache_get_configuration)
func decodeConfiguration(in input) (configuration, error) {
	in.int32() // length
	made := configuration{atomicity: in.int32()}
	in.take(4 + 4 + 1) // backups, cache mode, copy on read
	in.object(typeString)
	in.take(1 + 1) // eager time to live, statistics
	in.object(typeString)
	in.take(8 + 4 + 4) // lock timeout, concurrent operations, iterators
	in.object(typeString)
	in.take(1 + 4 + 4 + 4 + 1)         // on heap, loss policy, query details, query parallelism, read from backup
	in.take(4 + 8 + 8 + 4 + 4 + 8 + 8) // rebalancing
	in.take(1 + 4)
	in.object(typeString) // schema
	in.take(4)            // write synchronization
	for range in.count(10) {
		in.object(typeString) // key configurations
		in.object(typeString)
	}
	made.queried = in.int32() > 0
	return made, in.err()
}

// decodeError is what a member said instead of doing what it was asked for.
func decodeError(m *message) error {
	if m.status == 0 {
		return errors.New("no error")
	}
	in := m.body
	said, _ := in.object(typeString)
	if in.short {
		return fmt.Errorf("%w: an error without a message", errProtocol)
	}
	return &serverError{status: m.status, message: shortened(said)}
}

func shortened(said []byte) string { return string(said[:min(len(said), 300)]) }
