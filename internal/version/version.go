// Package version says which kvbench a program is.
package version

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
)

// version is set by the linker (hack/version.sh).
var version = ""

// String is the release, and the commit where the program isn't the release itself: v0.1.0+4a091f2b3c5d. It is "" where
// the program was built without a version.
func String() string { return version }

var infoDesc = prometheus.NewDesc("kvbench_build_info", "Which kvbench this is; always 1.", []string{"version", "goversion"}, nil)

// Metric tells the version to Prometheus.
func Metric() prometheus.Collector { return metric{} }

type metric struct{}

// Describe implements prometheus.Collector.
func (metric) Describe(to chan<- *prometheus.Desc) { to <- infoDesc }

// Collect implements prometheus.Collector.
func (metric) Collect(to chan<- prometheus.Metric) {
	to <- prometheus.MustNewConstMetric(infoDesc, prometheus.GaugeValue, 1, version, runtime.Version())
}
