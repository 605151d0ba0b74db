package follow

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/screen"
)

// Object shows a BenchmarkRun or a BenchmarkSuite until it has ended; object then holds its last state.
func Object(ctx context.Context, s *screen.Screen, k client.Reader, results *kube.Results, object client.Object) error {
	if suite, is := object.(*v1alpha1.BenchmarkSuite); is {
		return Suite(ctx, s, k, suite)
	}
	return Run(ctx, s, k, results, object.(*v1alpha1.BenchmarkRun))
}

// Verdict says how one ended, as Judge and JudgeSuite do.
func Verdict(object client.Object) (code int, lines []string) {
	if suite, is := object.(*v1alpha1.BenchmarkSuite); is {
		return JudgeSuite(suite)
	}
	return Judge(object.(*v1alpha1.BenchmarkRun))
}

// Suite shows the suite until it has ended, or nothing more can happen.
func Suite(ctx context.Context, s *screen.Screen, k client.Reader, suite *v1alpha1.BenchmarkSuite) error {
	return poll(ctx, s, k, suite, func(now time.Time) (over bool) {
		key, line := describeSuite(suite, now)
		s.Progress(now, key, line)
		return SuiteEnded(suite)
	})
}

// SuiteEnded says whether a suite is over. One that is blocked needs somebody's help.
func SuiteEnded(suite *v1alpha1.BenchmarkSuite) bool {
	return meta.IsStatusConditionTrue(suite.Status.Conditions, v1alpha1.ConditionComplete) ||
		meta.IsStatusConditionTrue(suite.Status.Conditions, v1alpha1.ConditionFailed)
}

func describeSuite(suite *v1alpha1.BenchmarkSuite, now time.Time) (key, line string) {
	status := &suite.Status
	phase := status.Phase
	if phase == "" {
		phase = "Pending"
	}
	line = fmt.Sprintf("%6s  %-12s", now.Sub(suite.CreationTimestamp.Time).Round(time.Second), phase)
	key = phase
	if status.Runs != nil {
		line += fmt.Sprintf(" %d of %d trials done", status.Runs.Done, status.Runs.Total)
		if status.Runs.Unusable > 0 {
			line += fmt.Sprintf(", %d without valid numbers", status.Runs.Unusable)
		}
		key += fmt.Sprint(status.Runs.Done)
	}
	if status.TimeLeft != "" {
		line += ", about " + status.TimeLeft + " left"
	}
	if status.Run != "" {
		line += "; run " + status.Run
		key += status.Run
	}
	if c := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionStalled); c != nil && c.Status == "True" {
		line += "; " + c.Reason + ": " + c.Message
		key += c.Reason
	}
	return key, line
}
