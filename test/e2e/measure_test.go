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
	// measurements bounds how often a machine without cores is asked for a valid one.
	measurements   = 3
	measureTimeout = measurements * (endTimeout + deleteTimeout + calmTimeout)
)

// ofTheMachine are the reasons that a want of cores can be the cause of.
var ofTheMachine = []string{
	report.GeneratorLag, report.GeneratorPaused, report.GeneratorStarved, report.GeneratorStopped,
	report.RateNotAchieved, report.ArrivalsSkewed, report.LogDelayed, report.ClockUncertain, report.TopologyGap,
}

// measure applies the run and awaits its end, complete and with nothing left of it in the cluster,
// and reads its report.
func measure(ctx context.Context, run *v1alpha1.BenchmarkRun) *report.Report {
	GinkgoHelper()
	return measureFrom(ctx, run, func() { apply(ctx, run) })
}

// measureFrom is measure for a run that begin applies.
//
// A measurement can't be valid while others have the machine's cores. That the run isn't valid is
// then right, and no word on what the spec is about: with a witness of it, and for no other reason,
// it is measured anew.
func measureFrom(ctx context.Context, run *v1alpha1.BenchmarkRun, begin func()) *report.Report {
	GinkgoHelper()
	wanted := run.DeepCopy()
	for attempt := 1; ; attempt++ {
		begin()
		found := readEnd(ctx, run, attempt)
		if found.Valid || attempt == measurements || !disturbed(found) || !excused(found) {
			return found
		}
		remove(ctx, run)
		machine.awaitCalm(ctx)
		wanted.DeepCopyInto(run)
		run.Name = fmt.Sprintf("%s-%d", wanted.Name, attempt+1)
	}
}

// measureOnce is measure for a spec that wants no valid figures.
func measureOnce(ctx context.Context, run *v1alpha1.BenchmarkRun) *report.Report {
	GinkgoHelper()
	apply(ctx, run)
	return readEnd(ctx, run, 1)
}

// readEnd awaits the run's end, and reads its report.
func readEnd(ctx context.Context, run *v1alpha1.BenchmarkRun, attempt int) *report.Report {
	GinkgoHelper()
	awaitEnd(ctx, run, endTimeout)
	expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
	expectCondition(run, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue)
	expectNothingLeft(ctx, run)
	found := readReport(ctx, run)
	if found.Valid {
		AddReportEntry(fmt.Sprintf("measurement %d is valid", attempt), generators(found), ReportEntryVisibilityFailureOrVerbose)
	} else {
		AddReportEntry(fmt.Sprintf("measurement %d is not valid", attempt), fmt.Sprintf("%v; %v; %s", found.InvalidReasons, takenDuring(found), generators(found)))
	}
	return found
}

// takenDuring is what others took during each workload that isn't valid, its warm-up and cool-down
// included.
func takenDuring(found *report.Report) (each []taken) {
	GinkgoHelper()
	for _, w := range found.Workloads {
		wrong := func(r report.Reason) bool { return r.Workload == w.Name || r.Workload == "" }
		if w.StartedAt == nil || !slices.ContainsFunc(found.InvalidReasons, wrong) {
			continue
		}
		start, err := time.Parse(time.RFC3339Nano, *w.StartedAt)
		Expect(err).NotTo(HaveOccurred())
		from := start.Add(-time.Duration(w.Load.WarmupMicros) * time.Microsecond)
		each = append(each, machine.between(from, start.Add(time.Duration(w.DurationMicros+w.Load.CooldownMicros)*time.Microsecond)))
	}
	return each
}

// generators are how late each workload's generator was, and for how long its threads waited for
// cores: what takenDuring doesn't explain of it, the cluster itself had.
func generators(found *report.Report) string {
	var each []string
	for i := range found.Workloads {
		w := &found.Workloads[i]
		said := w.Name + ":"
		if lag := w.Generator.SendLag; lag != nil {
			said += fmt.Sprintf(" the lag's p99 was %d µs, its longest %d;", lag.P99Micros, lag.MaxMicros)
		}
		if all, longest := w.Generator.CoreWaitMicros, w.Generator.CoreWaitMaxMicros; all != nil && longest != nil {
			said += fmt.Sprintf(" waited for cores %d µs in all, %d at most", *all, *longest)
		}
		each = append(each, said)
	}
	return strings.Join(each, "; ")
}

// disturbed says whether others had the cores in each workload that isn't valid.
func disturbed(found *report.Report) bool {
	during := takenDuring(found)
	return len(during) > 0 && !slices.ContainsFunc(during, func(t taken) bool { return !t.disturbing() })
}

// excused says whether a want of cores can be the cause of all that is wrong.
func excused(found *report.Report) bool {
	return !slices.ContainsFunc(reasons(found), func(reason string) bool { return !slices.Contains(ofTheMachine, reason) })
}

// expectValid wants a report that may be believed, and a status that says so.
func expectValid(run *v1alpha1.BenchmarkRun, found *report.Report) {
	GinkgoHelper()
	Expect(found.InvalidReasons).To(BeEmpty(), "%v; %s", takenDuring(found), generators(found))
	Expect(found.Valid).To(BeTrue())
	expectCondition(run, v1alpha1.ConditionValid, metav1.ConditionTrue)
	expectCondition(run, v1alpha1.ConditionReady, metav1.ConditionTrue)
}
