//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// catalogTable names the file that gets a line for each run, as docs/stores/ready-and-memory.md has them.
const catalogTable = "KVBENCH_CATALOG_TABLE"

const catalogHead = "| store | mode | members | ready after | memory of all, MiB | workloads | valid |\n|---|---|---|---|---|---|---|\n"

// catalogSizes are the usual numbers of members.
var catalogSizes = []int{1, 3, 5, 7, 9}

// catalogRun is one of the catalog's runs.
type catalogRun struct {
	store, mode string
	members     int
}

// catalogRuns are all, in the table's order.
func catalogRuns() (all []catalogRun) {
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		for i := range entry.Modes {
			for _, members := range catalogSizes {
				if entry.Modes[i].CanHave(members) {
					all = append(all, catalogRun{name, entry.Modes[i].Name, members})
				}
			}
		}
	}
	return all
}

// start is what a run's line begins with.
func (c catalogRun) start() string {
	return fmt.Sprintf("| %s | `%s` | %d | ", c.store, c.mode, c.members)
}

// bars are those of a table's first line.
func bars(table string) int {
	first, _, _ := strings.Cut(table, "\n")
	return strings.Count(first, "|")
}

// keep writes the rest of the run's line to the table. Lines of runs that were tried before stay:
// all of the catalog takes hours, and may be tried a store at a time.
func (c catalogRun) keep(rest string) {
	file := os.Getenv(catalogTable)
	if file == "" {
		return
	}
	before, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		Expect(err).NotTo(HaveOccurred())
	}
	var table strings.Builder
	table.WriteString(catalogHead)
	for _, run := range catalogRuns() {
		if run == c {
			table.WriteString(c.start() + rest + "\n")
			continue
		}
		for line := range strings.Lines(string(before)) {
			if strings.HasPrefix(line, run.start()) && bars(line) == bars(catalogHead) {
				table.WriteString(line)
			}
		}
	}
	Expect(os.WriteFile(file+".new", []byte(table.String()), 0o644)).To(Succeed())
	Expect(os.Rename(file+".new", file)).To(Succeed())
}
