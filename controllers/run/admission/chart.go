package admission

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/configmaps"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/chartsource"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/plan"
)

// verbBringChart is what a service account must be allowed on benchmarkruns, for its runs to bring
// charts. A chart's templates become objects of the author's choice, made with the account's
// rights: pods of any kind among them. Nobody has the verb who wasn't given it for this.
const (
	verbBringChart       = "bring-chart"
	reasonChartForbidden = "ChartForbidden"
)

// CheckMayBring asks before anything is read or fetched.
func (r *Checker) CheckMayBring(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	if err := r.checkServiceAccount(ctx, run); err != nil {
		return err
	}
	why, err := r.lacks(ctx, run, verbBringChart, authorizationv1.ResourceAttributes{Group: v1alpha1.GroupVersion.Group, Resource: "benchmarkruns"})
	if err != nil {
		return err
	}
	if why != "" {
		return &compile.Refusal{Reason: reasonChartForbidden, Message: fmt.Sprintf(
			"spec.store.chart: service account %s, with whose rights the chart would be installed, %s: have the cluster's administrator give it that verb alone by a Role, or name another account in spec.serviceAccountName",
			names.ServiceAccount(run), why)}
	}
	return nil
}

// ChartFile is the packed chart's key in the run's own ConfigMap.
const ChartFile = "chart.tgz"

// readChart reads the run's chart from its source, and says whether an earlier pass has kept the
// same. nil where the run has none.
//
// A copy is believed by its digest in the plan, and whoever may create ConfigMaps in the namespace
// can forge one before there is a plan. One of other bytes than the source's is forged, or older,
// and goes: the next pass makes it anew. Where the plan was lost again, or isn't seen yet, its own
// digest judges the copy (checkSamePlan), and the source may be another by now.
func (r *Checker) readChart(ctx context.Context, run *v1alpha1.BenchmarkRun) (packed []byte, kept bool, err error) {
	if !status.HasOwnChart(run) {
		return nil, false, nil
	}
	if err := r.CheckMayBring(ctx, run); err != nil {
		return nil, false, err
	}
	held := &corev1.ConfigMap{}
	// Past the cache, which has no contents.
	err = r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: names.ChartName(names.RunID(run))}, held)
	if client.IgnoreNotFound(err) != nil {
		return nil, false, fmt.Errorf("reading the run's chart: %w", err)
	}
	exists := err == nil
	if exists && !names.MadeFor(run, held) {
		return nil, false, &compile.Refusal{Reason: status.ReasonNameTaken, Message: fmt.Sprintf(
			"the ConfigMap %s exists and isn't this run's: delete it, and create the run again", held.Name)}
	}
	if exists && status.Admitted(run) {
		return held.BinaryData[ChartFile], true, nil
	}
	if run.Spec.Store.Chart.ConfigMap != nil {
		packed, err = r.chartOfConfigMap(ctx, run)
	} else {
		packed, err = r.fetchChart(ctx, run.Spec.Store.Chart)
	}
	if err != nil || !exists || bytes.Equal(held.BinaryData[ChartFile], packed) {
		return packed, exists, err
	}
	if err := r.Delete(ctx, held, client.Preconditions{UID: &held.UID}); client.IgnoreNotFound(err) != nil {
		return nil, false, fmt.Errorf("deleting a copy of the run's chart that isn't its source's: %w", err)
	}
	return nil, false, fmt.Errorf("the ConfigMap %s wasn't the chart of spec.store.chart, and was deleted: it is made anew", held.Name)
}

// checkSamePlan refuses a plan of another chart than the one that the run was admitted with.
func checkSamePlan(run *v1alpha1.BenchmarkRun, planJSON []byte) error {
	if !status.HasOwnChart(run) || !status.Admitted(run) || status.Digest(planJSON) == run.Status.PlanSHA256 {
		return nil
	}
	return ChartLost(names.RunID(run))
}

// ChartLost is the refusal of a run whose chart isn't the one that it was admitted with.
func ChartLost(id string) error {
	return &compile.Refusal{Reason: "ChartLost", Message: fmt.Sprintf(
		"the ConfigMap %s with the run's chart was deleted or changed while the run was under way", names.ChartName(id))}
}

// chartOfConfigMap reads with the rights of the run's service account.
func (r *Checker) chartOfConfigMap(ctx context.Context, run *v1alpha1.BenchmarkRun) ([]byte, error) {
	account, err := r.accountOf(run)
	if err != nil {
		return nil, err
	}
	const field = "spec.store.chart.configMap"
	ref := run.Spec.Store.Chart.ConfigMap
	packed, there, err := account.Read(ctx, *ref)
	if err != nil {
		return nil, configmaps.Refusal(field, err)
	}
	if !there {
		return nil, &compile.Refusal{Reason: compile.ReasonFileMissing, Message: fmt.Sprintf(
			"%s: there is no key %q in binaryData of a ConfigMap %q of the run's namespace: pack the chart, and create it with kubectl create configmap %s --from-file",
			field, ref.Key, ref.Name, ref.Name)}
	}
	return packed, nil
}

func (r *Checker) fetchChart(ctx context.Context, chart *v1alpha1.ChartSpec) ([]byte, error) {
	var source chartsource.Source
	field := "spec.store.chart.oci"
	if chart.OCI != nil {
		source = chartsource.Source{URL: chart.OCI.URL, Version: chart.OCI.Version}
	} else {
		field = "spec.store.chart.repository"
		source = chartsource.Source{URL: chart.Repository.URL, Name: chart.Repository.Name, Version: chart.Repository.Version}
	}
	packed, err := r.Charts.Fetch(ctx, source)
	var forbidden *chartsource.NotAllowed
	var missing *chartsource.Missing
	switch {
	case errors.As(err, &forbidden):
		return nil, &compile.Refusal{Reason: "SourceForbidden", Message: message.Cut(fmt.Sprintf("%s: %v", field, forbidden), 1024)}
	case errors.As(err, &missing):
		return nil, &compile.Refusal{Reason: "ChartMissing", Message: message.Cut(fmt.Sprintf("%s: %v", field, missing), 1024)}
	case err != nil:
		return nil, fmt.Errorf("%s: fetching the chart: %w", field, err)
	}
	return packed, nil
}

// judgeChart renders the chart for the first time, and notes in the plan what it is.
func (r *Checker) judgeChart(ctx context.Context, packed []byte, compiled *plan.Plan) error {
	own := compiled.Store.OwnChart
	if own == nil {
		return nil
	}
	own.SHA256, own.Bytes = status.Digest(packed), len(packed)
	rendered, err := r.RenderChart(ctx, packed, compiled)
	if err != nil {
		return err
	}
	own.Name, own.Version = rendered.Name, rendered.Version
	return nil
}

// checkNamespaced refuses objects of no namespace. When a run's namespace is deleted, Helm's record
// of them goes first, and nobody could find them again.
func (r *Checker) checkNamespaced(kinds []helm.Kind) error {
	for _, made := range kinds {
		kind := schema.FromAPIVersionAndKind(made.APIVersion, made.Kind)
		mapping, err := r.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
		switch {
		case meta.IsNoMatchError(err): // Helm says so when it installs the chart
		case err != nil:
			return fmt.Errorf("looking for the kind %s: %w", made.Kind, err)
		case mapping.Scope.Name() != meta.RESTScopeNameNamespace:
			return &compile.Refusal{Reason: compile.ReasonInvalidChart, Message: message.Cut(fmt.Sprintf(
				"spec.store.chart: the chart can't be used: it makes %s %s, which is of no namespace, and a run couldn't remove it when its namespace is deleted: install it yourself, and turn this off by a value",
				made.Kind, made.First), 1024)}
		}
	}
	return nil
}

// RenderChart renders a run's own chart, and refuses what no run may make.
func (r *Checker) RenderChart(ctx context.Context, packed []byte, p *plan.Plan) (helm.Rendered, error) {
	rendered, err := r.Charts.Render(ctx, helm.OwnChart{Archive: packed, Values: p.Store.Values, Release: p.Run.ID, Namespace: p.Run.Namespace})
	var bad *helm.BadChart
	if errors.As(err, &bad) {
		return helm.Rendered{}, &compile.Refusal{Reason: compile.ReasonInvalidChart, Message: message.Cut(fmt.Sprintf("spec.store.chart: the chart can't be used: %v", err), 1024)}
	}
	if err != nil {
		return helm.Rendered{}, err
	}
	return rendered, r.checkNamespaced(rendered.Kinds)
}

// keepChart makes the run's own copy of the chart. It is made before the plan, which has its
// digest: where there is a plan, there is its chart.
func (r *Checker) keepChart(ctx context.Context, run *v1alpha1.BenchmarkRun, packed []byte) error {
	object := &corev1.ConfigMap{
		ObjectMeta: names.ObjectMeta(run, names.ChartName(names.RunID(run)), names.RoleChart), Immutable: ptr.To(true),
		BinaryData: map[string][]byte{ChartFile: packed},
	}
	err := r.Create(ctx, object)
	if requests.Refused(err) {
		return &compile.Refusal{Reason: "PlanRefused", Message: fmt.Sprintf("the API server refused the ConfigMap %s with the run's chart: %v", object.Name, err)}
	}
	if err != nil { // if it exists by now, the next pass compares it
		return fmt.Errorf("keeping the run's chart: %w", err)
	}
	return nil
}

// DeleteChart removes the run's copy of its chart.
func (r *Checker) DeleteChart(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	if !status.HasOwnChart(run) {
		return nil
	}
	held := &corev1.ConfigMap{}
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: names.ChartName(names.RunID(run))}, held)
	if err != nil || !names.MadeFor(run, held) {
		return client.IgnoreNotFound(err)
	}
	if err := r.Delete(ctx, held); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the run's chart: %w", err)
	}
	return nil
}
