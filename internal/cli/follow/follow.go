// Package follow shows a run while it goes on, and says how it ended.
package follow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/screen"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// patience bounds how long the API server or the run's status may fail to answer.
const patience = time.Minute

// Run shows the run until it has ended; run then holds its last state. Without results it shows no live figures.
func Run(ctx context.Context, s *screen.Screen, k client.Reader, results *kube.Results, run *v1alpha1.BenchmarkRun) error {
	return poll(ctx, s, k, run, func(now time.Time) (over bool) {
		var live *wire.Live
		if results != nil && measuring(run) {
			live = results.Live(ctx, string(run.UID))
		}
		key, line := describe(run, live, now)
		s.Progress(now, key, line)
		return Ended(run)
	})
}

// poll reads the object each second, and shows it, until it is over.
func poll(ctx context.Context, s *screen.Screen, k client.Reader, object client.Object, show func(now time.Time) (over bool)) error {
	defer s.Keep()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	answered, uid := time.Now(), object.GetUID()
	for {
		err := k.Get(ctx, client.ObjectKeyFromObject(object), object)
		now := time.Now()
		switch {
		case err == nil && object.GetUID() != uid, err != nil && client.IgnoreNotFound(err) == nil:
			return fmt.Errorf("%s/%s was deleted before its end", object.GetNamespace(), object.GetName())
		case err == nil:
			answered = now
			if show(now) {
				return nil
			}
		case ctx.Err() != nil:
			return ctx.Err()
		case now.Sub(answered) > patience:
			return fmt.Errorf("the API server has not answered for %s: %w", patience, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Ended says whether a run is over.
func Ended(run *v1alpha1.BenchmarkRun) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) ||
		meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFailed)
}

// measuring says whether some workload was started and has not been measured yet.
func measuring(run *v1alpha1.BenchmarkRun) bool {
	for _, w := range run.Status.Workloads {
		if w.StartedAtUnixNanos != 0 && !meta.IsStatusConditionTrue(w.Conditions, v1alpha1.ConditionMeasured) {
			return true
		}
	}
	return false
}

// describe is the state in one line, and a key that changes with what is worth a line of
// its own.
func describe(run *v1alpha1.BenchmarkRun, live *wire.Live, now time.Time) (key, line string) {
	phase := run.Status.Phase
	if phase == "" {
		phase = "Pending"
	}
	var parts []string
	if live != nil {
		parts = append(parts, livePart(run, live))
	}
	if reason, message := waitsFor(run, phase); reason != "" {
		parts = append(parts, reason+": "+message)
		key += " " + reason
	}
	for _, f := range run.Status.Faults {
		if f.State == "" {
			continue
		}
		text := fmt.Sprintf("fault %s %s", f.Name, strings.ToLower(f.State))
		if f.Target != "" {
			text += " (" + f.Target + ")"
		}
		parts = append(parts, text)
		key += " " + text
	}
	elapsed := now.Sub(run.CreationTimestamp.Time).Round(time.Second)
	line = fmt.Sprintf("%6s  %-12s %s", elapsed, phase, strings.Join(parts, "; "))
	return phase + key, strings.TrimRight(line, " ")
}

// waitsFor is what the run says of a step that it waits in, beyond the step's name; or why it fails.
func waitsFor(run *v1alpha1.BenchmarkRun, phase string) (reason, message string) {
	if failing := meta.FindStatusCondition(run.Status.Conditions, "FailureTarget"); failing != nil {
		return failing.Reason, failing.Message
	}
	conditions := run.Status.Conditions
	for _, w := range run.Status.Workloads {
		conditions = slices.Concat(conditions, w.Conditions)
	}
	for _, c := range conditions {
		if c.Status == metav1.ConditionUnknown && c.Reason != phase {
			return c.Reason, c.Message
		}
	}
	return "", ""
}

// staleSeconds is the age from which figures are no longer of now.
const staleSeconds = 4

func livePart(run *v1alpha1.BenchmarkRun, live *wire.Live) string {
	at := fmt.Sprintf("%d s", live.ElapsedSeconds)
	if live.ElapsedSeconds < 0 {
		at = fmt.Sprintf("warm-up, %d s to go", -live.ElapsedSeconds)
	} else if d := duration(run, live.Workload); d > 0 {
		at = fmt.Sprintf("%d of %d s", min(live.ElapsedSeconds, int64(d.Seconds())), int64(d.Seconds()))
	}
	text := fmt.Sprintf("workload %s: %s", live.Workload, at)
	if len(live.Recent) == 0 {
		return text + ", no figures yet"
	}
	text += fmt.Sprintf(", %d operations/s", live.Throughput)
	if live.RecentErrors > 0 {
		text += fmt.Sprintf(", %d errors in the last %d s", live.RecentErrors, len(live.Recent))
	}
	if age := live.AgeMillis / 1000; age >= staleSeconds {
		text += fmt.Sprintf(" (%d s ago)", age)
	}
	return text
}

// duration of the workload's measurement; 0 when it ends after so many operations.
func duration(run *v1alpha1.BenchmarkRun, workload string) time.Duration {
	for _, w := range run.Spec.Workloads {
		switch {
		case w.Name != workload || w.Operations != nil:
		case w.Duration == nil:
			return time.Minute
		default:
			return w.Duration.Or(time.Minute)
		}
	}
	return 0
}
