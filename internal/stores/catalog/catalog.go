// Package catalog is the registry of the stores: an explicit list.
//
// It stands beside package stores, which holds the types, because the entries' packages
// need those types.
package catalog

import (
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/etcd"
)

// entries is every store that can be named in a run, in the order in which it is shown.
// A new store is one line here.
var entries = []*stores.Entry{
	etcd.Entry(),
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
func Names() []string {
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name
	}
	return names
}
