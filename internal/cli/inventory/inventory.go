// Package inventory knows the runs and suites of a cluster, and those that the results server keeps after their deletion, by
// name.
package inventory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/editdistance"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// Kind is of what has a name.
type Kind string

// Kinds, as users write them before a name and a slash.
const (
	Run   Kind = "run"
	Suite Kind = "suite"
)

// Entry is a run or a suite. At least one of where it is known is not nil.
type Entry struct {
	Kind      Kind   `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Store     string `json:"store,omitempty"`
	Mode      string `json:"mode,omitempty"`
	Members   int    `json:"members,omitempty"`
	// Phase is the cluster's word, or Kept for what is at the results server alone.
	Phase string `json:"phase"`
	// Valid is not there before there is a report.
	Valid          *bool    `json:"valid,omitempty"`
	InvalidReasons []string `json:"invalidReasons,omitempty"`
	// Verdict on the objectives: Passed, Failed or Unknown; "" without objectives.
	Verdict string `json:"verdict,omitempty"`
	// Started is when the first measurement began, or when the suite was accepted; not there before.
	Started *time.Time `json:"started,omitempty"`
	// Reported says that the results server has a report.
	Reported bool `json:"reported"`
	// InCluster says that the resource is still there.
	InCluster bool `json:"inCluster"`

	RunResource   *v1alpha1.BenchmarkRun   `json:"-"`
	SuiteResource *v1alpha1.BenchmarkSuite `json:"-"`
}

// Reference is how users name it where a run and a suite have one name.
func (e *Entry) Reference() string { return string(e.Kind) + "/" + e.Name }

// Location is where the results server keeps it.
func (e *Entry) Location() string {
	if e.Kind == Suite {
		return forward.SuiteLocation(e.UID)
	}
	return forward.Location(e.UID)
}

// List has what the namespace has, or all namespaces where it is "": those that began last first. unanswered is why the results
// server's part is missing.
func List(ctx context.Context, c *kube.Cluster, results *kube.Results, namespace string) (entries []Entry, unanswered error, err error) {
	entries, err = ofCluster(ctx, c, namespace)
	if err != nil {
		return nil, nil, err
	}
	kept, unanswered := ofServer(ctx, results, namespace, "")
	entries = merge(entries, kept)
	sortByStart(entries)
	return entries, unanswered, nil
}

// ofCluster are the resources that are there.
func ofCluster(ctx context.Context, c client.Reader, namespace string) ([]Entry, error) {
	runs, suites := &v1alpha1.BenchmarkRunList{}, &v1alpha1.BenchmarkSuiteList{}
	err := c.List(ctx, runs, client.InNamespace(namespace))
	if namespace == "" && apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("listing all namespaces takes rights in the whole cluster: name one with -n: %w", err)
	}
	if err != nil {
		return nil, kube.Explain(err)
	}
	if err := c.List(ctx, suites, client.InNamespace(namespace)); err != nil {
		return nil, kube.Explain(err)
	}
	var entries []Entry
	for i := range runs.Items {
		entries = append(entries, ofRun(&runs.Items[i]))
	}
	for i := range suites.Items {
		entries = append(entries, ofSuite(&suites.Items[i]))
	}
	return entries, nil
}

// asker is the results server.
type asker interface {
	Ask(ctx context.Context, path string, into any) error
}

// ofServer are those that the results server keeps, with a name where it isn't "".
func ofServer(ctx context.Context, results asker, namespace, name string) ([]Entry, error) {
	query := "?" + url.Values{"namespace": {namespace}, "name": {name}}.Encode()
	var runs wire.RunList
	if err := results.Ask(ctx, "/v1/runs"+query, &runs); err != nil {
		return nil, err
	}
	var suites wire.SuiteList
	if err := results.Ask(ctx, "/v1/suites"+query, &suites); err != nil {
		return nil, err
	}
	var entries []Entry
	for i := range runs.Runs {
		entries = append(entries, ofKeptRun(&runs.Runs[i]))
	}
	for i := range suites.Suites {
		entries = append(entries, ofKeptSuite(&suites.Suites[i]))
	}
	return entries, nil
}

// IsKept says whether the results server has something of it.
func IsKept(ctx context.Context, results asker, e *Entry) (bool, error) {
	kept, err := ofServer(ctx, results, e.Namespace, e.Name)
	return slices.ContainsFunc(kept, func(k Entry) bool { return k.UID == e.UID }), err
}

// merge adds what only the server has, and to the others that they have a report.
func merge(entries, kept []Entry) []Entry {
	at := map[string]int{}
	for i := range entries {
		at[entries[i].UID] = i
	}
	for _, k := range kept {
		i, is := at[k.UID]
		if !is {
			entries = append(entries, k)
			continue
		}
		e := &entries[i]
		e.Reported = e.Reported || k.Reported
		if e.Started == nil || k.Kind == Run && k.Started != nil {
			e.Started = cmp.Or(k.Started, e.Started)
		}
		if e.Valid == nil {
			e.Valid, e.InvalidReasons, e.Verdict = k.Valid, k.InvalidReasons, k.Verdict
		}
	}
	return entries
}

func sortByStart(entries []Entry) {
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(startOf(b).Compare(startOf(a)), cmp.Compare(a.Name, b.Name))
	})
}

// startOf puts what hasn't begun first.
func startOf(e Entry) time.Time {
	if e.Started == nil && e.InCluster {
		return time.Unix(1<<40, 0)
	}
	if e.Started == nil {
		return time.Time{}
	}
	return *e.Started
}

// Find is what has the name: "NAME", "run/NAME" or "suite/NAME". The cluster's comes before what is kept of a deleted one, and of
// several that are kept the last one. A uid, or the begin of one, names another.
func Find(ctx context.Context, c *kube.Cluster, results *kube.Results, reference, uid string) (*Entry, error) {
	kind, name, err := parse(reference)
	if err != nil {
		return nil, err
	}
	entries, err := ofCluster(ctx, c, c.Namespace)
	if err != nil {
		return nil, err
	}
	found := matching(entries, kind, name, uid)
	if len(found) == 0 || uid != "" {
		kept, err := ofServer(ctx, results, c.Namespace, "")
		if err != nil && len(found) == 0 {
			return nil, fmt.Errorf("%s is not in the namespace %s of the cluster, and whether it is kept is not known: %w", reference, c.Namespace, err)
		}
		entries = merge(entries, kept)
		sortByStart(entries)
		found = matching(entries, kind, name, uid)
	}
	return choose(found, entries, reference, uid, c.Namespace)
}

func parse(reference string) (kind Kind, name string, err error) {
	before, after, has := strings.Cut(reference, "/")
	if !has {
		return "", reference, nil
	}
	switch before {
	case "run", "runs", "benchmarkrun", "benchmarkruns", "kvb":
		return Run, after, nil
	case "suite", "suites", "benchmarksuite", "benchmarksuites":
		return Suite, after, nil
	}
	return "", "", fmt.Errorf("%q is not a name: write NAME, run/NAME or suite/NAME", reference)
}

func matching(entries []Entry, kind Kind, name, uid string) (found []*Entry) {
	for i := range entries {
		e := &entries[i]
		if e.Name == name && (kind == "" || e.Kind == kind) && strings.HasPrefix(e.UID, uid) {
			found = append(found, e)
		}
	}
	return found
}

// ErrNotFound is of a name that nothing has.
var ErrNotFound = errors.New("there is no such run or suite")

func choose(found []*Entry, all []Entry, reference, uid, namespace string) (*Entry, error) {
	if len(found) == 0 && uid != "" {
		if err := noSuchUID(all, reference, uid, namespace); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: %q in the namespace %s%s", ErrNotFound, reference, namespace, nearest(all, reference))
	}
	if uid != "" && len(found) > 1 {
		return nil, fmt.Errorf("%d have the name %s and a UID that begins with %s: write more of it; kubectl kvbench list -o wide shows them", len(found), reference, uid)
	}
	for _, other := range found {
		if other.Kind != found[0].Kind {
			return nil, fmt.Errorf("a run and a suite have the name %s: write run/%s or suite/%s", reference, reference, reference)
		}
	}
	return found[0], nil
}

// noSuchUID says which UIDs there are of a name; nil if nothing has the name.
func noSuchUID(all []Entry, reference, uid, namespace string) error {
	kind, name, err := parse(reference)
	if err != nil {
		return err
	}
	var uids []string
	for _, e := range matching(all, kind, name, "") {
		uids = append(uids, e.UID)
	}
	if len(uids) == 0 {
		return nil
	}
	return fmt.Errorf("%w: none with the name %s in the namespace %s has a UID that begins with %q; the UIDs of that name: %s",
		ErrNotFound, reference, namespace, uid, strings.Join(uids, ", "))
}

// nearest suggests a name that is much like it.
func nearest(all []Entry, reference string) string {
	_, name, _ := parse(reference)
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	if meant := editdistance.Nearest(name, names); meant != "" {
		return "; did you mean " + meant + "?"
	}
	return "; kubectl kvbench list shows what there is"
}
