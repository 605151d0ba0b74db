//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
)

const (
	// measureTimeout bounds a spec with one run.
	measureTimeout = endTimeout + deleteTimeout
	// measurements is how many runs a spec may make that demands a valid one. A machine has been short
	// of cores for as long as three.
	measurements      = 5
	measureAllTimeout = measurements * measureTimeout
)

// wantOfCores are the reasons for which a run is not valid on a machine that is short of cores.
var wantOfCores = []string{
	report.GeneratorLag, report.GeneratorPaused, report.GeneratorStarved, report.GeneratorStopped, report.GeneratorSaturated,
	report.RateNotAchieved, report.ArrivalsSkewed, report.LogDelayed, report.ClockUncertain, report.TopologyGap,
}

// measure applies the run, awaits its end, and reads its report. The run must be complete and
// sound, and leave nothing in the cluster.
func measure(ctx context.Context, run *v1alpha1.BenchmarkRun) *report.Report {
	GinkgoHelper()
	apply(ctx, run)
	return readEnd(ctx, run)
}

// readEnd is measure for a run that was applied.
func readEnd(ctx context.Context, run *v1alpha1.BenchmarkRun) *report.Report {
	GinkgoHelper()
	awaitEnd(ctx, run, endTimeout)
	expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
	expectCondition(run, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue)
	expectNothingLeft(ctx, run)
	found := readReport(ctx, run)
	expectSound(found)
	return found
}

// measureValid is measure for a spec about measurement, which demands a valid run. A machine that
// is short of cores for a while can't give one, and the report says so. For that reason alone the
// run is made again. The reasons of each are kept beside the spec's result.
func measureValid(ctx context.Context, run *v1alpha1.BenchmarkRun, begin func()) *report.Report {
	GinkgoHelper()
	wanted := run.DeepCopy()
	for attempt := 1; ; attempt++ {
		before := readCores()
		begin()
		found := readEnd(ctx, run)
		machine := readCores().since(before)
		AddReportEntry(fmt.Sprintf("measurement %d is valid: %v", attempt, found.Valid), generators(found)+"; "+machine)
		if found.Valid || attempt == measurements {
			expectValid(run, found, machine)
			return found
		}
		remove(ctx, run)
		wanted.DeepCopyInto(run)
		run.Name = fmt.Sprintf("%s-%d", wanted.Name, attempt+1)
	}
}

// expectSound wants a report in which nothing is wrong, or nothing but what a want of cores explains.
func expectSound(found *report.Report) {
	GinkgoHelper()
	Expect(wantOfCores).To(ContainElements(reasons(found)), "%v; %s", found.InvalidReasons, generators(found))
	if !found.Valid {
		AddReportEntry("not valid for want of cores", fmt.Sprintf("%v; %s", found.InvalidReasons, generators(found)))
	}
}

// expectValid wants a report that may be believed, and a status that says so.
func expectValid(run *v1alpha1.BenchmarkRun, found *report.Report, machine string) {
	GinkgoHelper()
	Expect(found.InvalidReasons).To(BeEmpty(), "%s; %s", generators(found), machine)
	Expect(found.Valid).To(BeTrue())
	expectCondition(run, v1alpha1.ConditionValid, metav1.ConditionTrue)
	expectCondition(run, v1alpha1.ConditionReady, metav1.ConditionTrue)
}

// reasons are those for which the report is not valid.
func reasons(found *report.Report) []string {
	all := []string{}
	for _, r := range found.InvalidReasons {
		all = append(all, r.Reason)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// generators are how late each workload's generator was, and for how long its threads waited for
// cores.
func generators(found *report.Report) string {
	var each []string
	for i := range found.Workloads {
		w := &found.Workloads[i]
		said := w.Name + ":"
		if lag := w.Generator.SendLag; lag != nil {
			said += fmt.Sprintf(" the lag's p99 was %s, its longest %s;", micros(lag.P99Micros), micros(lag.MaxMicros))
		}
		if all, longest := w.Generator.CoreWaitMicros, w.Generator.CoreWaitMaxMicros; all != nil && longest != nil {
			said += fmt.Sprintf(" waited for cores %s in all, %s at most", micros(*all), micros(*longest))
		}
		each = append(each, said)
	}
	return strings.Join(each, "; ")
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
