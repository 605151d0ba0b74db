// Package etcd drives and observes etcd.
//
// A record is one key, "<table>/<key>", whose value holds all its fields: etcd cannot
// write a part of a value. An operation is one request and is never sent again; the
// client's own retries are off.
package etcd

import "github.com/kvbench/kvbench/internal/stores"

// The modes: which reads the session sends. Writes always go through consensus.
const (
	ModeLinearizable = "linearizable"
	ModeSerializable = "serializable"
)

// Entry is etcd in the catalog.
func Entry() *stores.Entry {
	return &stores.Entry{
		Name:           "etcd",
		Chart:          "etcd",
		Container:      "etcd",
		DefaultVersion: "v3.7.3",
		DefaultMode:    ModeLinearizable,
		Modes: []stores.Mode{
			{Name: ModeLinearizable, Promise: stores.PromiseLinearizable},
			// A member answers from its own state, so a read may be old; what was
			// acknowledged is never lost.
			{Name: ModeSerializable, Promise: stores.PromiseDurable},
		},
		MinNodes:    1,
		MaxNodes:    9,
		Consensus:   true,
		ClientPort:  2379,
		NeedsData:   "a member that comes back without its data is refused by its cluster for ever",
		WholeRecord: true,
		OrderedScan: true,
		Expires:     true,
		Prefix:      "etcd",
		Open:        Open,
		Observe:     Observe,
	}
}
