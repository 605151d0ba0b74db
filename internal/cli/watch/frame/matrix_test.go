package frame

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// suiteOf has the rates 100 and 200, and two blocks.
func suiteOf(change func(*v1alpha1.BenchmarkSuite)) *v1alpha1.BenchmarkSuite {
	s := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Name: "s", Namespace: "default", UID: "suite"}}
	s.Spec.Template.Spec.Raw = []byte(`{"store": {"name": "etcd", "nodes": 3}, "workloads": [{"name": "a", "preset": "A"}]}`)
	s.Spec.Axes = []v1alpha1.SuiteAxis{{Name: "rate", Path: "/load/rate", Values: []apiextensionsv1.JSON{{Raw: []byte("100")}, {Raw: []byte("200")}}}}
	s.Spec.Trials.Count = ptr.To[int32](2)
	if change != nil {
		change(s)
	}
	return s
}

// trialRun is a run that the suite owns.
func trialRun(name string, conditions []metav1.Condition, change ...func(*v1alpha1.BenchmarkRun)) v1alpha1.BenchmarkRun {
	run := v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	run.OwnerReferences = []metav1.OwnerReference{{UID: "suite", Kind: "BenchmarkSuite", Controller: ptr.To(true)}}
	run.Status.Conditions = conditions
	for _, c := range change {
		c(&run)
	}
	return run
}

func lagged(run *v1alpha1.BenchmarkRun) { run.Status.InvalidReasons = []string{report.GeneratorLag} }

// text has a line for each row: its name, and a letter for each cell with its repeats.
func text(rows []Row) string {
	letters := map[CellState]string{TrialWaiting: ".", TrialRunning: ">", TrialMeasured: "+", TrialValid: "v", TrialNotValid: "x"}
	var lines []string
	for _, row := range rows {
		line := row.Combination + ":"
		for _, cell := range row.Cells {
			line += " " + letters[cell.State] + strings.Repeat("r", cell.Repeats)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func TestTheMatrixOfASuite(t *testing.T) {
	valid, complete := yes("Complete", "Valid"), yes("Complete")
	ended := func(s *v1alpha1.BenchmarkSuite) { s.Status.Conditions = yes("Complete") }
	for _, c := range []struct {
		what    string
		change  func(*v1alpha1.BenchmarkSuite)
		runs    []v1alpha1.BenchmarkRun
		adopted []manifest.Trial
		want    string
	}{
		{"nothing is done", nil, nil, nil, "rate=100: . .; rate=200: . ."},
		{"one done, one under way", nil, []v1alpha1.BenchmarkRun{trialRun("s-b1-c1", valid), trialRun("s-b1-c2", nil)}, nil, "rate=100: v .; rate=200: > ."},
		{"one failed for good", nil, []v1alpha1.BenchmarkRun{trialRun("s-b1-c1", yes("Failed"))}, nil, "rate=100: x .; rate=200: . ."},
		{"one is to be made again", nil, []v1alpha1.BenchmarkRun{trialRun("s-b1-c1", complete, lagged)}, nil, "rate=100: .r .; rate=200: . ."},
		{"one is being made again", nil, []v1alpha1.BenchmarkRun{trialRun("s-b1-c1", complete, lagged), trialRun("s-b1-c1-r1", nil)}, nil, "rate=100: >r .; rate=200: . ."},
		{"one was made again", nil, []v1alpha1.BenchmarkRun{trialRun("s-b1-c1", complete, lagged), trialRun("s-b1-c1-r1", valid)}, nil, "rate=100: vr .; rate=200: . ."},
		{"one lagged thrice", nil, []v1alpha1.BenchmarkRun{trialRun("s-b1-c1", complete, lagged), trialRun("s-b1-c1-r1", complete, lagged), trialRun("s-b1-c1-r2", complete, lagged)}, nil,
			"rate=100: xrr .; rate=200: . ."},
		{"a suite that is over makes none again", ended, []v1alpha1.BenchmarkRun{trialRun("s-b1-c1", complete, lagged)}, nil, "rate=100: x .; rate=200: . ."},
		{"somebody else's run has the name", nil, []v1alpha1.BenchmarkRun{{ObjectMeta: metav1.ObjectMeta{Name: "s-b1-c1"}, Status: v1alpha1.BenchmarkRunStatus{Conditions: valid}}}, nil,
			"rate=100: . .; rate=200: . ."},
		{"runs of an earlier suite", nil, []v1alpha1.BenchmarkRun{trialRun("s-b2-c1-r1", nil)}, []manifest.Trial{
			{Block: 0, Combination: 0, Attempts: []manifest.Attempt{{Run: "old", Outcome: manifest.Valid, Adopted: true}}},
			{Block: 1, Combination: 0, Attempts: []manifest.Attempt{{Run: "old", Outcome: manifest.NotValid, Reasons: []string{report.GeneratorLag}, Adopted: true}}},
			{Block: 1, Combination: 1, Attempts: []manifest.Attempt{{Run: "s-b2-c2", Outcome: manifest.Valid}}},
		}, "rate=100: v >r; rate=200: . ."},
		{"a search that goes on", func(s *v1alpha1.BenchmarkSuite) { s.Spec.Search = &v1alpha1.SuiteSearch{UpTo: 1000} }, nil, nil, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			rows, err := Matrix(suiteOf(c.change), c.runs, c.adopted)
			if got := text(rows); err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestTheMatrixOfCombinationsThatShareAStore(t *testing.T) {
	reuse := func(s *v1alpha1.BenchmarkSuite) { s.Spec.Reuse = "Store"; s.Spec.Trials.Count = ptr.To[int32](1) }
	shared := func(first, second []metav1.Condition) func(*v1alpha1.BenchmarkRun) {
		return func(run *v1alpha1.BenchmarkRun) {
			run.Spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "c1-a"}, {Name: "c2-a"}}
			run.Status.Workloads = []v1alpha1.WorkloadStatus{{Name: "c1-a", Conditions: first}, {Name: "c2-a", Conditions: second}}
		}
	}
	secondLagged := func(run *v1alpha1.BenchmarkRun) {
		run.Status.Workloads[1].InvalidReasons = []string{report.GeneratorLag}
	}
	secondAlone := func(run *v1alpha1.BenchmarkRun) {
		run.Spec.Workloads, run.Status.Workloads = run.Spec.Workloads[1:], run.Status.Workloads[1:]
	}
	measured, loaded := yes("Loaded", "Armed", "Measured"), yes("Loaded")
	for _, c := range []struct {
		what string
		runs []v1alpha1.BenchmarkRun
		want string
	}{
		{"the first is loaded", []v1alpha1.BenchmarkRun{trialRun("s-b1-s1", nil, shared(loaded, nil))}, "rate=100: >; rate=200: ."},
		{"the second's turn", []v1alpha1.BenchmarkRun{trialRun("s-b1-s1", nil, shared(measured, loaded))}, "rate=100: +; rate=200: >"},
		{"both are valid", []v1alpha1.BenchmarkRun{trialRun("s-b1-s1", yes("Complete", "Valid", "Reported"), shared(measured, measured))}, "rate=100: v; rate=200: v"},
		{"the second lagged", []v1alpha1.BenchmarkRun{trialRun("s-b1-s1", yes("Complete", "Reported"), shared(measured, measured), secondLagged)}, "rate=100: v; rate=200: .r"},
		{"the second alone is made again", []v1alpha1.BenchmarkRun{trialRun("s-b1-s1", yes("Complete", "Reported"), shared(measured, measured), secondLagged),
			trialRun("s-b1-s1-r1", nil, shared(nil, loaded), secondAlone)}, "rate=100: v; rate=200: >r"},
		{"the first failed, and the second never began", []v1alpha1.BenchmarkRun{trialRun("s-b1-s1", yes("Failed"), shared(loaded, nil))}, "rate=100: x; rate=200: .r"},
	} {
		t.Run(c.what, func(t *testing.T) {
			rows, err := Matrix(suiteOf(reuse), c.runs, nil)
			if got := text(rows); err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestASuiteThatCantBeExpandedHasNoMatrix(t *testing.T) {
	_, err := Matrix(suiteOf(func(s *v1alpha1.BenchmarkSuite) { s.Spec.Template.Spec.Raw = []byte(`{"store": 7}`) }), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "combinations can't be made") {
		t.Errorf("%v", err)
	}
}

func TestASuiteTellsItsCounts(t *testing.T) {
	of := suiteOf(nil)
	of.Status.Runs = &v1alpha1.SuiteRuns{Total: 4, Done: 3, Unusable: 1, Left: 1, Adopted: 2, Repeated: 5}
	of.Status.Conditions = []metav1.Condition{{Type: "Stalled", Status: metav1.ConditionTrue, Reason: "NameTaken", Message: "somebody has it"}}
	rows := []Row{{Cells: make([]Cell, 2)}}
	told := OfSuite(of, rows, nil)
	if told.Total != 4 || told.Done != 3 || told.Unusable != 1 || told.Left != 1 || told.Adopted != 2 || told.Repeated != 5 || told.Blocks != 2 ||
		told.Waiting != "NameTaken: somebody has it" {
		t.Errorf("%+v", told)
	}
}
