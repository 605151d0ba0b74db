package frame

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// OfSuite is where a suite stands. rows are those of Matrix, and underWay is its run; nil where there is none.
func OfSuite(suite *v1alpha1.BenchmarkSuite, rows []Row, underWay *Run) *Suite {
	told := &Suite{Rows: rows, TimeLeft: suite.Status.TimeLeft, Run: underWay}
	if told.Rows == nil {
		told.Rows = []Row{}
	}
	for _, row := range rows {
		told.Blocks = max(told.Blocks, len(row.Cells))
	}
	if runs := suite.Status.Runs; runs != nil {
		told.Total, told.Done, told.Unusable, told.Left = int(runs.Total), int(runs.Done), int(runs.Unusable), int(runs.Left)
		told.Adopted, told.Repeated = int(runs.Adopted), int(runs.Repeated)
	}
	told.Waiting = suiteWaitsFor(suite)
	return told
}

// suiteWaitsFor is what hinders the suite. Where no run is under way, it is what happens next.
func suiteWaitsFor(suite *v1alpha1.BenchmarkSuite) string {
	c := meta.FindStatusCondition(suite.Status.Conditions, v1alpha1.ConditionStalled)
	if c == nil && suite.Status.Run == "" {
		c = meta.FindStatusCondition(suite.Status.Conditions, v1alpha1.ConditionReconciling)
	}
	if c == nil || c.Status != metav1.ConditionTrue {
		return ""
	}
	return c.Reason + ": " + c.Message
}
