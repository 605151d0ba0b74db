package suite

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

func untilNarrow(least, most int32) *v1alpha1.BenchmarkSuite {
	return &v1alpha1.BenchmarkSuite{Spec: v1alpha1.BenchmarkSuiteSpec{Trials: v1alpha1.TrialsSpec{
		Min: ptr.To(least), Max: ptr.To(most), Until: &v1alpha1.TrialsUntil{Metric: "p99", Operation: "READ", HalfWidth: "2.5%"},
	}}}
}

func TestASuiteThatMayEndEarlyPlansItsLooks(t *testing.T) {
	of := untilNarrow(8, 24)
	var seen []int
	for {
		seen = append(seen, Blocks(of))
		next, further := NextLook(of)
		if !further {
			break
		}
		of.Status.Blocks = int32(next)
	}
	if want := []int{8, 12, 18, 24}; len(seen) != 4 || seen[0] != want[0] || seen[1] != want[1] || seen[2] != want[2] || seen[3] != want[3] {
		t.Errorf("looks at %v", seen)
	}
	if _, confidence, _ := Looks(&of.Spec); confidence != 0.9875 {
		t.Errorf("each with %v", confidence)
	}
	if until := Until(&of.Spec); until.HalfWidth != 0.025 || until.Metric != "p99" {
		t.Errorf("%+v", until)
	}
	of.Status.Blocks = 9 // nobody planned that
	if Blocks(of) != 8 {
		t.Errorf("%d", Blocks(of))
	}
}

func TestASuiteWithANumberOfTrialsLooksOnce(t *testing.T) {
	of := &v1alpha1.BenchmarkSuite{}
	of.Status.Blocks = 3
	if _, further := NextLook(of); further || Blocks(of) != 8 || Until(&of.Spec) != nil {
		t.Errorf("%d, %v", Blocks(of), further)
	}
}

func TestALookThatCanTellNothingIsRefused(t *testing.T) {
	of := untilNarrow(6, 24)
	of.Spec.Template.Spec.Raw = []byte("{}")
	if _, problems := Expand(&of.Spec); !strings.Contains(problems.String(), "spec.trials.min") {
		t.Errorf("%v", problems)
	}
}
