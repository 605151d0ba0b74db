// Package cassandra drives and observes Apache Cassandra.
//
// A record is one row, whose key is the partition key, with a column for each field. An operation
// is one prepared statement, at the consistency level of the mode, and is never sent again. A table
// is made by the first write.
package cassandra

import "github.com/kvbench/kvbench/internal/stores"

// The modes are the consistency levels of all reads and writes. See derive for those in which they differ.
const (
	ModeOne    = "one"
	ModeQuorum = "quorum"
	ModeAll    = "all"
)

// maxReplicas is the replication factor, of as many members at least.
const maxReplicas = 3

// Entry is Cassandra in the catalog.
func Entry() *stores.Entry {
	return &stores.Entry{
		Name:           "cassandra",
		Chart:          "cassandra",
		DefaultVersion: "5.0.9",
		DefaultMode:    ModeQuorum,
		Modes: []stores.Mode{
			// One replica has what was acknowledged, for sure.
			mode(ModeOne, stores.PromiseEventual),
			// With one of the replicas another one is left that has what was acknowledged, and
			// is asked in time. No order is promised: the clocks of those who write decide.
			mode(ModeQuorum, stores.PromiseDurable, periodic),
			mode(ModeAll, stores.PromiseDurable, periodic),
		},
		Derive: derive, Derived: derivedModes,
		ClientPort: 9042, SharesConnections: true,
		Warmup:     stores.JavaWarmup,
		NeedsData:  "a member that comes back without its data is another one to its cluster, which goes on to wait for the one that is gone",
		Security:   stores.Security{Levels: []string{stores.SecurityAuth, stores.SecurityTLS}, User: "kvbench"},
		Prefix:     "cassandra",
		Properties: []string{propertyKeyspace},
		Open:       Open,
		Observe:    Observe,
	}
}

// periodic is Cassandra's default, with which a replica acknowledges what its log doesn't have yet. The
// end of its process takes that with it, and the next quorum may be of it and of one that never had it.
var periodic = stores.Weakening{Setting: "commitlog_sync", Value: "periodic", Promise: stores.PromiseEventual}

func mode(name string, promise stores.Promise, weakenings ...stores.Weakening) stores.Mode {
	return stores.Mode{
		Name: name, Promise: promise, Weakenings: weakenings, Nodes: stores.UpTo(9), Container: "cassandra",
		Scan: stores.ScanTokenOrdered, Expires: true, BlindDeletes: true, CheckNames: checkNames, MaxRecordBytes: maxMutationBytes - besidesRecord,
		RecordLimit: &stores.RecordLimit{Setting: mutationLimit, Bytes: mutationBytes, Besides: besidesRecord},
		Share:       func(nodes int, _ map[string]any) float64 { return float64(min(maxReplicas, nodes)) / float64(nodes) },
	}
}
