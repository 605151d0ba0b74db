package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/suite/decide"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Results is what suites need of the results server.
type Results interface {
	// Check says whether a run with such a plan could be kept. An error that isn't transient says that it never could.
	Check(ctx context.Context, uid string, plan []byte) error
	PutSuite(ctx context.Context, uid string, manifest []byte) error
	CheckSuite(ctx context.Context, uid string, needed wire.SuiteNeed) error
	Adopt(ctx context.Context, uid string, ask wire.AdoptionRequest) ([]byte, error)
	PinBaselines(ctx context.Context, uid string, ask wire.PinRequest) (wire.Pinned, error)
	KeepBaseline(ctx context.Context, uid, name string) error
	GetSuite(ctx context.Context, uid, document string) ([]byte, error)
}

// manifestOf is what the results server is told of the suite.
func manifestOf(state *decide.State, progress *decide.Progress, complete bool) *manifest.Manifest {
	of := state.Suite
	m := &manifest.Manifest{
		Format: manifest.Format, Suite: manifest.Name{Namespace: of.Namespace, Name: of.Name, UID: string(of.UID)},
		Seed: state.Seed, Complete: complete, Blocks: suite.Blocks(of), Axes: suite.Axes(&of.Spec),
		Compare: suite.Compare(&of.Spec), Objectives: suite.Objectives(&of.Spec, state.Combinations),
	}
	if of.Spec.Reuse == suite.ReuseStore {
		m.Format, m.Reuse = manifest.FormatShared, of.Spec.Reuse
	}
	if _, confidence, err := suite.Looks(&of.Spec); err == nil {
		m.Confidence = confidence
	}
	m.Search = suite.SearchOf(of, state.Combinations, state.Found)
	m.Until, m.Adoption = suite.Until(&of.Spec), state.Adoption
	for i := range state.Combinations {
		m.Combinations = append(m.Combinations, state.Combinations[i].Labels)
	}
	for _, trial := range suite.TrialsOf(state.Turns) {
		attempts := append([]manifest.Attempt{}, progress.Attempts[trial]...)
		m.Trials = append(m.Trials, manifest.Trial{Block: trial.Block, Combination: trial.Combination, Attempts: attempts})
	}
	return m
}

// tellResults tells the results server how far the suite is, unless it was told the same by this process.
func (r *Reconciler) tellResults(ctx context.Context, key types.NamespacedName, state *decide.State, progress *decide.Progress, complete bool) error {
	document, err := json.Marshal(manifestOf(state, progress, complete))
	if err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	if r.memories.wasTold(key, document) {
		return nil
	}
	if err := r.Results.PutSuite(ctx, string(state.Suite.UID), document); err != nil {
		return fmt.Errorf("telling the results server of the suite: %w", err)
	}
	r.memories.tell(key, document)
	return nil
}

// reference says where the suite's report is.
func (r *Reconciler) reference(of *v1alpha1.BenchmarkSuite) *v1alpha1.ReportReference {
	location := "/v1/suites/" + string(of.UID)
	return &v1alpha1.ReportReference{Location: location, URL: r.ResultsURL + location + "/suite.json"}
}

// verdict asks the results server whether the suite keeps its objectives; nil if it has none. All trials have ended, and the
// server knows them.
func (r *Reconciler) verdict(ctx context.Context, of *v1alpha1.BenchmarkSuite) (*findings.Verdict, error) {
	if !hasObjectives(of) {
		return nil, nil
	}
	verdict, err := r.askVerdict(ctx, of)
	if err != nil {
		return nil, err
	}
	if !verdict.Complete || verdict.Verdict == "" || len(verdict.Objectives) != len(of.Spec.Compare.Objectives) {
		r.memories.untell(client.ObjectKeyFromObject(of))
		return nil, errors.New("the results server has a verdict of other trials or of other objectives: it is told of the suite again")
	}
	return verdict, nil
}

// askVerdict gets what the results server says of the suite in short.
func (r *Reconciler) askVerdict(ctx context.Context, of *v1alpha1.BenchmarkSuite) (*findings.Verdict, error) {
	document, err := r.Results.GetSuite(ctx, string(of.UID), "verdict.json")
	if err != nil {
		r.memories.untell(client.ObjectKeyFromObject(of)) // it may have lost what it was told
		return nil, fmt.Errorf("asking the results server for the verdict: %w", err)
	}
	verdict := &findings.Verdict{}
	if err := json.Unmarshal(document, verdict); err != nil {
		return nil, fmt.Errorf("reading the verdict: %w", err)
	}
	return verdict, nil
}

// knowsEnough asks the results server whether the suite may end at this look. All trials of its blocks have ended.
func (r *Reconciler) knowsEnough(ctx context.Context, state *decide.State, progress *decide.Progress) (bool, error) {
	of := state.Suite
	key := client.ObjectKeyFromObject(of)
	if err := r.tellResults(ctx, key, state, progress, false); err != nil {
		return false, err
	}
	told, err := r.askVerdict(ctx, of)
	if err != nil {
		return false, err
	}
	if told.Width == nil || told.Width.Blocks != suite.Blocks(of) {
		r.memories.untell(key)
		return false, errors.New("the results server speaks of other trials: it is told of the suite again")
	}
	return told.Width.Narrow, nil
}

func hasObjectives(of *v1alpha1.BenchmarkSuite) bool {
	return of.Spec.Compare != nil && len(of.Spec.Compare.Objectives) > 0
}
