package admission

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/controllers/run/objects"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
	results "github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/storechart"
)

// Admit reads the run's files and its chart, compiles the plan, looks whether the cluster has what
// the plan needs, notes what the catalog's chart makes of the values, and keeps the files, the chart
// and the plan.
func (r *Checker) Admit(ctx context.Context, o *state.Observed) error {
	files, kept, err := r.readFiles(ctx, o.Run)
	if err != nil {
		return err
	}
	compiled, err := compile.Compile(o.Run, files)
	if err != nil {
		return err
	}
	chart, chartKept, err := r.readChart(ctx, o.Run)
	if err != nil {
		return err
	}
	if err := r.judgeChart(ctx, chart, compiled); err != nil {
		return err
	}
	if err := r.check(ctx, o.Run, compiled); err != nil {
		return fmt.Errorf("checking the spec against the cluster: %w", err)
	}
	if compiled.Store.EffectiveValues, err = storechart.EffectiveValues(compiled); err != nil {
		return err
	}
	planJSON, err := json.Marshal(compiled)
	if err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	if err := compile.CheckSize(planJSON); err != nil {
		return err
	}
	if err := checkSamePlan(o.Run, planJSON); err != nil {
		return err
	}
	if len(files) > 0 && !kept {
		if err := r.keepFiles(ctx, o.Run, files); err != nil {
			return err
		}
	}
	if status.HasOwnChart(o.Run) && !chartKept {
		if err := r.keepChart(ctx, o.Run, chart); err != nil {
			return err
		}
	}
	// It is registered when its turn comes: while it waits it must not take the place of a report.
	if err := r.Results.Check(ctx, string(o.Run.UID), planJSON); err != nil {
		if !results.Transient(err) {
			return &compile.Refusal{Reason: "ResultsRefused", Message: "the results server refused the run: " + err.Error()}
		}
		return fmt.Errorf("asking the results server about the run: %w", err)
	}
	if planJSON, err = r.keepPlan(ctx, o.Run, planJSON); err != nil {
		return err
	}
	o.Run.Status.PlanSHA256, o.Run.Status.Mode = status.Digest(planJSON), compiled.Store.Mode
	return nil
}

// keepPlan writes the ConfigMap that the run's pods and later passes read, and returns the plan that it has. That is the
// one of an earlier pass, where another version of kvbench made the same.
func (r *Checker) keepPlan(ctx context.Context, run *v1alpha1.BenchmarkRun, planJSON []byte) ([]byte, error) {
	object := objects.Plan(run, planJSON, r.Config.ResultsCA)
	err := r.Create(ctx, object)
	switch {
	case err == nil:
		return planJSON, nil
	case requests.Refused(err):
		return nil, &compile.Refusal{Reason: "PlanRefused", Message: fmt.Sprintf("the API server refused the ConfigMap %s with the plan: %v", object.Name, err)}
	case !apierrors.IsAlreadyExists(err):
		return nil, fmt.Errorf("keeping the plan: %w", err)
	}
	// Of an earlier pass that the cache doesn't show yet, or somebody else's.
	existing := &corev1.ConfigMap{}
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(object), existing); err != nil {
		return nil, fmt.Errorf("reading the plan that exists: %w", err)
	}
	kept := []byte(existing.Data[plan.FileName])
	if !names.MadeFor(run, existing) || !takesOver(run, kept, planJSON) {
		return nil, &compile.Refusal{Reason: status.ReasonNameTaken, Message: fmt.Sprintf(
			"the ConfigMap %s exists and isn't this run's plan: delete it, and create the run again", object.Name)}
	}
	return kept, nil
}

// takesOver says that a plan that exists is the one of an earlier pass: the same bytes, or those that another version of
// kvbench made. What the run was admitted with is in its status. Until that is written, nobody knows it but by its content.
func takesOver(run *v1alpha1.BenchmarkRun, kept, planJSON []byte) bool {
	if bytes.Equal(kept, planJSON) {
		return true
	}
	admittedWith := run.Status.PlanSHA256
	return (admittedWith == "" || admittedWith == status.Digest(kept)) && differsInVersion(kept, planJSON)
}

// differsInVersion says that the version of kvbench is all that differs in two plans.
func differsInVersion(kept, planJSON []byte) bool {
	var before, now plan.Plan
	if json.Unmarshal(kept, &before) != nil || json.Unmarshal(planJSON, &now) != nil {
		return false
	}
	now.Kvbench = before.Kvbench
	written, err := json.Marshal(&now)
	return err == nil && bytes.Equal(written, kept)
}
