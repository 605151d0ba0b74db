package validate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/validate/definition"
)

// Result is what was found of one object, or of a file that has none.
type Result struct {
	File string `json:"file"`
	// Document is which one of the file's YAML documents has the object, counted from 1. Empty ones don't count.
	Document  int    `json:"document,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Error says why there is no object to check.
	Error string `json:"error,omitempty"`
	// Skipped says why the object was not looked at, since it is none of kvbench's.
	Skipped string `json:"skipped,omitempty"`
	// OK says that the object was checked, and nothing was found.
	OK       bool      `json:"ok"`
	Findings []Finding `json:"findings"`
	// Unchecked names what only a cluster has.
	Unchecked []string `json:"unchecked,omitempty"`
}

// Finding is one reason to refuse an object.
type Finding struct {
	definition.Finding `json:",inline"`
	// Combinations of a suite that it is about. The field is then one of the run of such a combination.
	Combinations []string `json:"combinations,omitempty"`
}

// Check checks all objects of the files, in their order. Its error is the context's, or a defect of the binary.
func Check(ctx context.Context, contents []Content) ([]Result, error) {
	objects, results := sorted(contents)
	runs := &runChecker{maps: configMaps{}, charts: charts{}}
	for _, o := range objects {
		if o.kind() == kindConfigMap {
			if err := runs.maps.add(o.content); err != nil {
				results[o.at].Error = err.Error()
			}
		}
	}
	for _, o := range objects {
		if o.kind() == kindConfigMap {
			continue
		}
		r := &results[o.at]
		if err := r.check(ctx, o, runs); err != nil {
			return nil, err
		}
		r.OK = len(r.Findings) == 0
	}
	return slices.DeleteFunc(results, func(r Result) bool { return r.Kind == kindConfigMap && r.Error == "" && r.Skipped == "" }), nil
}

// object is one of a file, and where its result is.
type object struct {
	content map[string]any
	at      int
}

func (o object) kind() string { return (&unstructured.Unstructured{Object: o.content}).GetKind() }

// sorted parses the files. It returns the objects that can be checked, and a result for each of them and for each file or
// object that can't.
func sorted(contents []Content) (objects []object, results []Result) {
	results = []Result{} // programs expect a list
	for _, content := range contents {
		all, err := documents(content.Text)
		if err == nil && len(all) == 0 {
			err = errors.New("it is empty: write a BenchmarkRun or a BenchmarkSuite, or start with kubectl kvbench init")
		}
		if err != nil {
			results = append(results, Result{File: content.File, Findings: []Finding{}, Error: err.Error()})
		}
		for i, document := range all {
			parsed, err := parse(document)
			var items []map[string]any
			if err == nil {
				items, err = unfold(parsed)
			}
			if err != nil {
				results = append(results, Result{File: content.File, Document: i + 1, Findings: []Finding{}, Error: err.Error()})
			}
			for _, item := range items {
				r := Result{File: content.File, Document: i + 1, Findings: []Finding{}}
				about := &unstructured.Unstructured{Object: item}
				r.Kind, r.Namespace, r.Name = about.GetKind(), about.GetNamespace(), about.GetName()
				if r.Skipped, err = checkKind(r.Kind, about.GetAPIVersion()); err != nil {
					r.Error = err.Error()
				} else if r.Skipped == "" {
					objects = append(objects, object{item, len(results)})
				}
				results = append(results, r)
			}
		}
	}
	return objects, results
}

// check asks the definition first, and the catalog only if that has nothing against it, as a cluster does.
func (r *Result) check(ctx context.Context, o object, checker *runChecker) error {
	runs, err := definition.OfRun()
	if err != nil {
		return err
	}
	if r.Kind == definition.Run {
		run := &v1alpha1.BenchmarkRun{}
		if fits, err := r.asks(ctx, runs, o.content, run); err != nil || !fits {
			return err
		}
		if refusal := checker.refusal(run); refusal != "" {
			r.Findings = append(r.Findings, findingOf(refusal))
		}
		r.Unchecked = checker.maps.uncheckedOfRun(run)
		return nil
	}
	suites, err := definition.OfSuite()
	if err != nil {
		return err
	}
	of := &v1alpha1.BenchmarkSuite{}
	if fits, err := r.asks(ctx, suites, o.content, of); err != nil || !fits {
		return err
	}
	whole := suiteChecker{of: of, definition: runs, runs: checker}
	r.Findings, err = whole.check(ctx)
	r.Unchecked = whole.unchecked()
	return err
}

// asks notes what the definition has against an object, and reads it into a typed one if that is nothing.
func (r *Result) asks(ctx context.Context, of *definition.Definition, content map[string]any, into any) (fits bool, err error) {
	for _, f := range of.Check(ctx, content) {
		r.Findings = append(r.Findings, Finding{Finding: f})
	}
	if len(r.Findings) > 0 {
		return false, ctx.Err()
	}
	text, err := json.Marshal(content)
	if err != nil {
		return false, err
	}
	// Types of Go are narrower than the definition in places.
	if err := json.Unmarshal(text, into); err != nil {
		r.Findings = append(r.Findings, Finding{Finding: definition.Finding{Message: "it can't be read: " + err.Error()}})
		return false, nil
	}
	return true, ctx.Err()
}
