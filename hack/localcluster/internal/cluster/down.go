package cluster

import (
	"strings"

	"github.com/kvbench/kvbench/hack/localcluster/internal/host"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

// Down removes the cluster and everything that it made on the machine, but for
// the cache. Where there is no cluster it does nothing.
func Down(p layout.Paths, report *progress.Reporter) error {
	if err := host.RequireRoot(); err != nil {
		return err
	}
	remains := Remains(p)
	if len(remains) == 0 {
		report.Say("No cluster is up.")
		return nil
	}
	return report.Step("removing "+strings.Join(remains, ", "), func(func(string)) error { return Clean(p) })
}
