// Package basic is a store that does nothing: against it, the load generator measures
// itself. With basicdb.verbose=true it prints what it is asked to do, in the words of
// YCSB's BasicDB.
package basic

import "github.com/kvbench/kvbench/internal/stores"

// The store's properties.
const (
	verbose        = "verbose"
	simulateDelay  = "simulatedelay"  // milliseconds
	randomizeDelay = "randomizedelay" // from 0 up to simulatedelay instead of all of it
)

// Entry is basic in the catalog. It has no chart: there is nothing to deploy.
func Entry() *stores.Entry {
	return &stores.Entry{
		Name:        "basic",
		DefaultMode: "none",
		Modes:       []stores.Mode{{Name: "none", Promise: stores.PromiseNone, Scan: stores.ScanOrdered}},
		Prefix:      "basicdb",
		Properties:  []string{verbose, simulateDelay, randomizeDelay},
		Open:        Open,
	}
}
