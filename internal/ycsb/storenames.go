package ycsb

import (
	"strings"

	"github.com/kvbench/kvbench/internal/editdistance"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// otherNames are those of stores in YCSB and go-ycsb.
var otherNames = map[string]string{
	"basicdb": "basic", "cassandra-cql": "cassandra", "cassandra2-cql": "cassandra", "ignite-sql": "ignite", "jdbc": "postgresql",
	"pg": "postgresql", "postgres": "postgresql", "postgrenosql": "postgresql", "scylla": "cassandra",
}

// mostEdits make a name that was meant out of one that is not there: two letters that changed places.
const mostEdits = 2

// noStore is the error about a store that isn't there, with the nearest that is.
func noStore(name string) error {
	near, fewest := otherNames[strings.ToLower(name)], mostEdits
	for _, known := range catalog.Names() {
		if n := editdistance.Between(strings.ToLower(name), known); n < fewest || near == "" && n == fewest {
			near, fewest = known, n
		}
	}
	if near != "" {
		return Refuse("there is no store %q: did you mean %s? There are %s", name, near, strings.Join(catalog.Names(), ", "))
	}
	return Refuse("there is no store %q: use one of %s", name, strings.Join(catalog.Names(), ", "))
}
