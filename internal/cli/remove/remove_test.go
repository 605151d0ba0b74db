package remove

import (
	"bytes"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/inventory"
)

func TestOnlyWhatIsUnderWayIsCancelled(t *testing.T) {
	ended := []metav1.Condition{{Type: "Complete", Status: metav1.ConditionTrue}}
	for _, c := range []struct {
		what  string
		entry *inventory.Entry
		there bool
		over  bool
	}{
		{"a run under way", inventory.Of(&v1alpha1.BenchmarkRun{}), true, false},
		{"a complete run", inventory.Of(&v1alpha1.BenchmarkRun{Status: v1alpha1.BenchmarkRunStatus{Phase: "Complete", Conditions: ended}}), true, true},
		{"a suite under way", inventory.Of(&v1alpha1.BenchmarkSuite{}), true, false},
		{"a complete suite", inventory.Of(&v1alpha1.BenchmarkSuite{Status: v1alpha1.BenchmarkSuiteStatus{Conditions: ended}}), true, true},
	} {
		if (resourceOf(c.entry) != nil) != c.there || Over(c.entry) != c.over {
			t.Errorf("%s: over %t", c.what, Over(c.entry))
		}
	}
	if resourceOf(&inventory.Entry{Kind: inventory.Run, Phase: inventory.Kept}) != nil {
		t.Error("what is kept alone has a resource")
	}
}

func TestWithoutATerminalNothingIsDeletedUnasked(t *testing.T) {
	e := &env.Env{In: strings.NewReader("yes\n"), Err: &bytes.Buffer{}}
	if err := confirm(e, &inventory.Entry{Kind: inventory.Run, Name: "a"}, false); err == nil || !strings.Contains(err.Error(), "--yes") {
		t.Error(err)
	}
}
