// Package redis drives and observes Redis, and Valkey: a primary, its replicas, and a Sentinel
// beside each of them, or a Redis Cluster.
//
// The layout is YCSB's: a record is a hash, and a sorted set has the keys of a table, by a hash
// of the key. Everything is asked of the primary, which the Sentinels name. An operation is sent
// once, as one pipeline, a scan as two.
//
// A cluster has several primaries, which share the records by slots, and no index. An operation
// goes to the one that has the record's slot, and on to another one if that says so, which hasn't
// carried it out then.
package redis

import "github.com/kvbench/kvbench/internal/stores"

// The modes: how many replicas have a write before it counts as done, of one primary, or a
// Redis Cluster, where none has.
const (
	ModeAsync        = "async"
	ModeWait         = "wait"
	ModeWaitMajority = "wait-majority"
	ModeCluster      = "cluster"
)

// sentinelOffset is from a server's port to that of the Sentinel beside it: 6379 and 26379 are
// the defaults of both.
const sentinelOffset = 20000

// masterName is what the Sentinels call the primary, by their default.
const masterName = "mymaster"

// Entry is Redis in the catalog.
func Entry() *stores.Entry { return entry("redis", "7.0.15", nil) }

// Valkey goes on from Redis 7.2, with its protocol, commands and Sentinel; its programs have names
// of their own.
func Valkey() *stores.Entry {
	return entry("valkey", "8.0.1", map[string]any{
		"image": map[string]any{"repository": "docker.io/valkey/valkey"}, "programs": "valkey",
	})
}

func entry(name, version string, values map[string]any) *stores.Entry {
	return &stores.Entry{
		Name:           name,
		Chart:          "redis",
		DefaultVersion: version,
		Values:         values,
		DefaultMode:    ModeAsync,
		Modes: []stores.Mode{
			mode(ModeAsync, 1),
			mode(ModeWait, 2),
			mode(ModeWaitMajority, 2),
			clusterMode(),
		},
		ClientPort: 6379, SharesConnections: true,
		Security:   stores.Security{Levels: []string{stores.SecurityAuth, stores.SecurityTLS}, User: "default"}, // Redis' own
		Prefix:     name,
		Properties: []string{"host", "port"}, // YCSB's, for one server
		Open:       Open,
		Observe:    Observe,
	}
}

// mode is one that needs so many members. All promise the same: a replica that has not got a
// write may become the primary, and WAIT makes that less probable, no more.
func mode(name string, least int) stores.Mode {
	return stores.Mode{
		Name: name, Promise: stores.PromiseEventual,
		Nodes: stores.UpTo(9)[least-1:], Leader: "primary", Container: "redis",
		Values: map[string]any{"cluster": map[string]any{"enabled": false}}, // no values of the run's make it one
		Scan:   stores.ScanTokenOrdered,
	}
}

// clusterMode is of one primary for all slots, or of three and their replicas: two of three can't
// agree on who takes a primary's place, nor can one of two. A replica that has not got a write may
// take it, so that nothing more is promised than with Sentinels.
func clusterMode() stores.Mode {
	return stores.Mode{
		Name: ModeCluster, Promise: stores.PromiseEventual,
		Nodes: []int{1, 3, 4, 5, 6, 7, 8, 9}, SurvivesFrom: 2 * mostPrimaries, Container: "redis",
		Values: map[string]any{"cluster": map[string]any{"enabled": true}},
		Scan:   stores.ScanNone, ListsKeys: true,
		Share: func(nodes int, _ map[string]any) float64 { return 1 / float64(min(mostPrimaries, nodes)) },
	}
}

// replicas is how many have to acknowledge a write in the mode, beside the primary.
func replicas(mode string, members int) int {
	switch mode {
	case ModeWait:
		return 1
	case ModeWaitMajority:
		return members / 2
	}
	return 0
}
