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

// maxItemBytes is memcached's default of --max-item-size. An item is a record, its key of 250 bytes at most, and a
// header of some 60 bytes.
const (
	maxItemBytes  = 1 << 20
	besidesRecord = 512
)

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
			MaxRecordBytes: maxItemBytes - besidesRecord,
			RecordLimit:    stores.SettingLimit("max-item-size", maxItemBytes, besidesRecord),
		}},
		ClientPort: 11211, SharesConnections: true,
		Security: stores.Security{Levels: []string{stores.SecurityAuth, stores.SecurityTLS}, User: "kvbench"},
		Prefix:   "memcached",
		Open:     Open,
		Observe:  Observe,
	}
}
