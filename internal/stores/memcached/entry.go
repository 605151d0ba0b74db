// Package memcached drives and observes memcached.
//
// Members know nothing of each other: the client shards, each record being on one member
// (see owner), and one that ends takes its records with it. A record is one item, whose key
// is "<table>/<key>". An operation is one request of the meta protocol and is never sent
// again.
package memcached

import "github.com/kvbench/kvbench/internal/stores"

// ModeSharded is the one way to use it: the client chooses the member by the key.
const ModeSharded = "sharded"

// maxRecordBytes is what fits into an item of 1 MiB, memcached's default, beside the longest
// key and the item's own header, which has some 60 bytes.
const maxRecordBytes = 1<<20 - 512

// Entry is memcached in the catalog.
func Entry() *stores.Entry {
	return &stores.Entry{
		Name:           "memcached",
		Chart:          "memcached",
		DefaultVersion: "1.6.18",
		DefaultMode:    ModeSharded,
		Modes: []stores.Mode{{
			Name: ModeSharded,
			// It may evict a record at any time, and what a member held is gone with its process.
			Promise:        stores.PromiseNone,
			Nodes:          stores.UpTo(9),
			Container:      "memcached",
			Scan:           stores.ScanNone,
			WholeRecord:    true,
			Expires:        true,
			InMemory:       true,
			MaxRecordBytes: maxRecordBytes,
		}},
		ClientPort: 11211, SharesConnections: true,
		Security: stores.Security{Levels: []string{stores.SecurityAuth, stores.SecurityTLS}, User: "kvbench"},
		Prefix:   "memcached",
		Open:     Open,
		Observe:  Observe,
	}
}
