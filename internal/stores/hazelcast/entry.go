// Package hazelcast drives and observes Hazelcast: its IMap, and its CP Subsystem.
//
// It speaks version 2 of Hazelcast's open binary client protocol
// (https://docs.hazelcast.org/docs/protocol/2.6/client-protocol.html). A record is one entry
// of the map that has the table's name. Each session has a connection to each member, and one
// request under way; it asks the member that owns the key's partition, once.
package hazelcast

import "github.com/kvbench/kvbench/internal/stores"

// The modes.
const (
	ModeIMap = "imap" // a map whose partitions have an owner and backups
	ModeCP   = "cp"   // references in a raft group of the CP Subsystem, one for each record
)

// maxRecordBytes bounds a record to what one message of either side may hold.
const maxRecordBytes = 64 << 20

// Entry is Hazelcast in the catalog.
func Entry() *stores.Entry {
	return &stores.Entry{
		Name:           "hazelcast",
		Chart:          "hazelcast",
		DefaultVersion: "5.4.0",
		DefaultMode:    ModeIMap,
		Modes: []stores.Mode{{
			Name: ModeIMap,
			// Whoever owns a partition answers for it: the sides of a cluster that is parted do
			// so both, and one side's writes are lost when it is whole again.
			Promise:        stores.PromiseEventual,
			Nodes:          stores.UpTo(9),
			Container:      "hazelcast",
			Values:         map[string]any{"cp": false}, // no values of the run's make it the other mode
			Scan:           stores.ScanOrdered,
			WholeRecord:    true,
			Expires:        true,
			InMemory:       true,
			MaxRecordBytes: maxRecordBytes,
		}, {
			Name:           ModeCP,
			Promise:        stores.PromiseLinearizable,
			Nodes:          []int{3, 4, 5, 6, 7, 8, 9},
			Leader:         "leader",
			Container:      "hazelcast",
			Values:         map[string]any{"cp": true},
			Scan:           stores.ScanNone,
			WholeRecord:    true,
			InMemory:       true,
			MaxRecordBytes: maxRecordBytes,
		}},
		ClientPort: 5701, SharesConnections: true,
		Warmup:     stores.JavaWarmup,
		Security:   stores.Security{Lacks: "passwords and TLS are of its Enterprise edition, and its open source has neither"},
		Prefix:     "hazelcast",
		Properties: []string{clusterName},
		Open:       Open,
		Observe:    Observe,
	}
}

// clusterName is the property with the cluster's name, which clients have to know.
const (
	clusterName        = "cluster-name"
	defaultClusterName = "dev" // Hazelcast's own
)
