package properties

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/editdistance"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// otherNames has the names of stores in YCSB and go-ycsb, and the store here that each of them means.
var otherNames = map[string]string{
	"basicdb": "basic", "cassandra-cql": "cassandra", "cassandra2-cql": "cassandra", "ignite-sql": "ignite", "jdbc": "postgresql",
	"pg": "postgresql", "postgres": "postgresql", "postgrenosql": "postgresql", "scylla": "cassandra",
}

// mostEdits is how far a name may be from one that is known, to be taken for a mistake in typing it. Two
// letters that changed places are two edits.
const mostEdits = 2

// FindStore finds a store of the catalog by its name. Its error names the store that was probably meant.
func FindStore(name string) (*stores.Entry, error) {
	if store, ok := catalog.Find(name); ok {
		return store, nil
	}
	near, fewest := otherNames[strings.ToLower(name)], mostEdits
	for _, known := range catalog.Names() {
		if n := editdistance.Between(strings.ToLower(name), known); n < fewest || near == "" && n == fewest {
			near, fewest = known, n
		}
	}
	if near != "" {
		return nil, fmt.Errorf("there is no store %q: did you mean %s? There are %s", name, near, strings.Join(catalog.Names(), ", "))
	}
	return nil, fmt.Errorf("there is no store %q: use one of %s", name, strings.Join(catalog.Names(), ", "))
}
