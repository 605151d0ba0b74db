package remove

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// fakeServer keeps runs and suites, and remembers what it was to delete.
type fakeServer struct {
	runs    []wire.RunSummary
	suites  []wire.SuiteSummary
	refuses error
	deleted []string
}

func (f *fakeServer) Ask(_ context.Context, path string, into any) error {
	var kept any = wire.RunList{Runs: f.runs}
	if strings.HasPrefix(path, "/v1/suites?") {
		kept = wire.SuiteList{Suites: f.suites}
	}
	document, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return json.Unmarshal(document, into)
}

func (f *fakeServer) Delete(_ context.Context, path string) error {
	f.deleted = append(f.deleted, path)
	return f.refuses
}

// clusterWith is one that has these suites.
func clusterWith(t *testing.T, suites ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(suites...).Build()
}

func suiteInCluster(name, uid string, conditions ...metav1.Condition) *v1alpha1.BenchmarkSuite {
	return &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID(uid)},
		Status: v1alpha1.BenchmarkSuiteStatus{Conditions: conditions}}
}

func keptSuite(name, uid string, complete bool) wire.SuiteSummary {
	return wire.SuiteSummary{Namespace: "team", Name: name, UID: uid, Complete: complete}
}

func TestAKeptSuiteIsDeletedAndSaysSo(t *testing.T) {
	var told bytes.Buffer
	suite := &inventory.Entry{Kind: inventory.Suite, Namespace: "team", Name: "nightly", UID: "7", Phase: inventory.Kept}
	results := &fakeServer{suites: []wire.SuiteSummary{keptSuite("nightly", "7", false)}}
	if err := forget(t.Context(), &told, clusterWith(t), results, suite); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(results.deleted, []string{"/v1/suites/7?over=true"}) {
		t.Errorf("deleted %q", results.deleted)
	}
	if text := told.String(); !strings.Contains(text, "What was kept of suite/nightly is deleted") || !strings.Contains(text, "The results of its runs stay") {
		t.Errorf("it says %q", text)
	}
}

func TestASuiteIsDeletedInTwoSteps(t *testing.T) {
	resource := suiteInCluster("nightly", "7")
	cluster := clusterWith(t, resource)
	results := &fakeServer{suites: []wire.SuiteSummary{keptSuite("nightly", "7", false)}}
	kept := &inventory.Entry{Kind: inventory.Suite, Namespace: "team", Name: "nightly", UID: "7", Phase: inventory.Kept}
	for _, c := range []struct {
		what    string
		entry   *inventory.Entry
		says    string
		deleted int
	}{
		{"the resource", inventory.Of(resource), "What the results server keeps of suite/nightly stays", 0},
		{"what is kept", kept, "What was kept of suite/nightly is deleted", 1},
	} {
		var told bytes.Buffer
		if err := remove(t.Context(), &env.Env{Err: &told}, cluster, results, c.entry, false); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if !strings.Contains(told.String(), c.says) || len(results.deleted) != c.deleted {
			t.Errorf("%s: it says %q and deleted %q", c.what, told.String(), results.deleted)
		}
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(resource), &v1alpha1.BenchmarkSuite{}); !apierrors.IsNotFound(err) {
			t.Errorf("%s: the resource is left: %v", c.what, err)
		}
	}
}

func TestARunIsDeletedWithTheWordThatItsSuitesAreOver(t *testing.T) {
	ended := metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}
	results := &fakeServer{runs: []wire.RunSummary{{Namespace: "team", Name: "nightly-b1-c1", UID: "r"}}, suites: []wire.SuiteSummary{
		keptSuite("gone", "1", false), keptSuite("made-again", "2", false), keptSuite("ended", "3", false),
		keptSuite("under-way", "4", false), keptSuite("told-complete", "5", true),
	}}
	cluster := clusterWith(t, suiteInCluster("made-again", "22"), suiteInCluster("ended", "3", ended), suiteInCluster("under-way", "4"))
	var told bytes.Buffer
	run := &inventory.Entry{Kind: inventory.Run, Namespace: "team", Name: "nightly-b1-c1", UID: "r"}
	if err := forget(t.Context(), &told, cluster, results, run); err != nil {
		t.Fatal(err)
	}
	if len(results.deleted) != 1 {
		t.Fatalf("deleted %q", results.deleted)
	}
	path, query, _ := strings.Cut(results.deleted[0], "?")
	asked, err := url.ParseQuery(query)
	if err != nil || path != "/v1/runs/r" || asked.Get("over") != "true" || !slices.Equal(asked["suiteOver"], []string{"1", "2", "3"}) {
		t.Errorf("it asked for %s %v, %v", path, asked, err)
	}
	if told.String() != "What was kept of run/nightly-b1-c1 is deleted.\n" {
		t.Errorf("it says %q", told.String())
	}
}

func TestARefusedDeletionIsAnError(t *testing.T) {
	for what, c := range map[string]struct {
		results *fakeServer
		want    string
	}{
		"refused":      {&fakeServer{suites: []wire.SuiteSummary{keptSuite("nightly", "7", true)}, refuses: errors.New("no")}, "may be kept still: no"},
		"nothing kept": {&fakeServer{}, ""},
	} {
		var told bytes.Buffer
		err := forget(t.Context(), &told, clusterWith(t), c.results, &inventory.Entry{Kind: inventory.Suite, Namespace: "team", Name: "nightly", UID: "7"})
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
		if strings.Contains(told.String(), "is deleted") {
			t.Errorf("%s: it says %q", what, told.String())
		}
	}
}

func TestADeletionOfNothingIsRefused(t *testing.T) {
	kept := &inventory.Entry{Kind: inventory.Suite, Name: "nightly", Phase: inventory.Kept}
	if err := somethingGoes(kept, true); err == nil || !strings.Contains(err.Error(), "suite/nightly is not in the cluster, and --keep-results") {
		t.Errorf("what is kept, with --keep-results: %v", err)
	}
	if err := errors.Join(somethingGoes(kept, false), somethingGoes(inventory.Of(suiteInCluster("nightly", "7")), true)); err != nil {
		t.Error(err)
	}
}

func TestTheQuestionSaysWhatGoes(t *testing.T) {
	inCluster := inventory.Of(suiteInCluster("nightly", "7"))
	kept := &inventory.Entry{Kind: inventory.Suite, Name: "nightly", Phase: inventory.Kept}
	run := &inventory.Entry{Kind: inventory.Run, Name: "a", Phase: inventory.Kept}
	for _, c := range []struct {
		what        string
		entry       *inventory.Entry
		keepResults bool
		want        string
	}{
		{"a suite", inCluster, false, "and leaves the results that are kept"},
		{"a kept suite", kept, false, "with its report, and leaves the results of its runs"},
		{"a run", run, false, "with its report and its raw data, if there are any"},
		{"a run's resource", run, true, "and leaves the results that are kept"},
	} {
		if got := extent(c.entry, c.keepResults); got != c.want {
			t.Errorf("%s: %q", c.what, got)
		}
	}
	if text := stays(inCluster); !strings.Contains(text, "the results of its runs") || !strings.Contains(text, "kubectl kvbench delete suite/nightly") {
		t.Errorf("what stays: %q", text)
	}
}
