// Package ignite drives and observes Apache Ignite 2: its partitioned key-value caches.
//
// It speaks version 1.7 of Ignite's binary client protocol
// (https://ignite.apache.org/docs/latest/binary-client-protocol/binary-client-protocol). A record
// is one entry of a cache, which is named by the mode and the table. Each session has a connection
// to each member, and one request under way; it asks the member that owns the key's partition, once.
package ignite

import "github.com/kvbench/kvbench/internal/stores"

// The modes: how a cache takes writes, and whether its members have them on disks.
const (
	ModeAtomic                  = "atomic"
	ModeTransactional           = "transactional"
	ModeAtomicPersistent        = "atomic-persistent"
	ModeTransactionalPersistent = "transactional-persistent"
)

// maxRecordBytes bounds a record, of which a member has several copies in its heap at once.
const maxRecordBytes = 16 << 20

// Entry is Ignite in the catalog.
func Entry() *stores.Entry {
	return &stores.Entry{
		Name:           "ignite",
		Chart:          "ignite",
		DefaultVersion: "2.17.0",
		DefaultMode:    ModeAtomic,
		Modes: []stores.Mode{
			mode(ModeAtomic, false),
			mode(ModeTransactional, false),
			mode(ModeAtomicPersistent, true),
			mode(ModeTransactionalPersistent, true),
		},
		ClientPort: 10800, SharesConnections: true,
		Warmup:   stores.JavaWarmup,
		Security: stores.Security{Levels: []string{stores.SecurityAuth, stores.SecurityTLS}, User: user},
		Prefix:   "ignite",
		Open:     Open,
		Observe:  Observe,
	}
}

// mode promises little in each case: whoever owns a partition answers for it, so that the sides of
// a cluster that is parted may do so both, and what one of them wrote is lost in the end.
func mode(name string, persistent bool) stores.Mode {
	noAuth := "it keeps its users on disks, which members of this mode haven't"
	if persistent {
		noAuth = ""
	}
	return stores.Mode{
		Name: name, Promise: stores.PromiseEventual,
		Nodes: stores.UpTo(9), Container: "ignite",
		Values: map[string]any{"persistence": persistent},
		Scan:   stores.ScanOrdered, WholeRecord: true, Expires: true, InMemory: !persistent, MaxRecordBytes: maxRecordBytes,
		NoAuth: noAuth, Share: keeps,
	}
}

// keeps is the share of an owner and of its backups, of which the chart has one by default.
func keeps(nodes int, values map[string]any) float64 {
	backups := 1.
	if settings, ok := values["settings"].(map[string]any); ok {
		if n, ok := settings["backups"].(float64); ok {
			backups = n
		}
	}
	return min(1+backups, float64(nodes)) / float64(nodes)
}
