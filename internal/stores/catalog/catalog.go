// Package catalog is the registry of the stores: an explicit list.
//
// It stands beside package stores, which holds the types, because the entries' packages
// need those types.
package catalog

import (
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/basic"
	"github.com/kvbench/kvbench/internal/stores/cassandra"
	"github.com/kvbench/kvbench/internal/stores/etcd"
	"github.com/kvbench/kvbench/internal/stores/hazelcast"
	"github.com/kvbench/kvbench/internal/stores/ignite"
	"github.com/kvbench/kvbench/internal/stores/memcached"
	"github.com/kvbench/kvbench/internal/stores/postgresql"
	"github.com/kvbench/kvbench/internal/stores/redis"
)

// entries is every store, in the order in which it is shown.
// A new store is one line here.
var entries = []*stores.Entry{
	cassandra.Entry(),
	etcd.Entry(),
	hazelcast.Entry(),
	ignite.Entry(),
	memcached.Entry(),
	redis.Entry(),
	redis.Valkey(),
	postgresql.Entry(),
	basic.Entry(),
}

// Find returns the store of that name. The entry is shared: nobody changes it.
func Find(name string) (*stores.Entry, bool) {
	for _, entry := range entries {
		if entry.Name == name {
			return entry, true
		}
	}
	return nil, false
}

// Names are the names of all stores.
func Names() []string { return names(func(*stores.Entry) bool { return true }) }

// Deployable are the names of the stores that a run can deploy.
func Deployable() []string {
	return names(func(entry *stores.Entry) bool { return entry.Chart != "" })
}

func names(of func(*stores.Entry) bool) []string {
	var names []string
	for _, entry := range entries {
		if of(entry) {
			names = append(names, entry.Name)
		}
	}
	return names
}
