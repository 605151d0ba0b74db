package controllers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
)

// releaseRecord is where Helm keeps its releases.
var releaseRecord = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}

// checkMayDeploy asks whether the run's service account may create what the store's release consists
// of, before the run waits for its turn: the API server would say it hours later. It asks once for
// each kind, as the account itself, which needs no right for that.
func (r *Reconciler) checkMayDeploy(ctx context.Context, run *v1alpha1.BenchmarkRun, manifest string) error {
	kinds, err := kindsOf(manifest)
	if err != nil {
		return err
	}
	var lacking []string
	for _, kind := range kinds {
		mapping, err := r.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
		if meta.IsNoMatchError(err) {
			return &compile.Refusal{Reason: reasonKindMissing, Message: fmt.Sprintf(
				"%s: the chart makes a %s of %s, and the cluster has no such kind: install the operator that defines it, or turn it off by a value",
				chartField(run), kind.Kind, kind.GroupVersion())}
		}
		if err != nil {
			return fmt.Errorf("looking for the kind %s: %w", kind.Kind, err)
		}
		on := authorizationv1.ResourceAttributes{
			Namespace: run.Namespace, Group: mapping.Resource.Group, Version: mapping.Resource.Version, Resource: mapping.Resource.Resource,
		}
		if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
			on.Namespace = ""
		}
		may, err := r.ask(ctx, run, "create", on)
		if err != nil {
			return err
		}
		if !may {
			lacking = append(lacking, mapping.Resource.GroupResource().String())
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return &compile.Refusal{Reason: "DeployForbidden", Message: fmt.Sprintf(
		"service account %s, with whose rights Helm deploys the store, may not create %s in namespace %s: give it the rights of kvbench-deployer%s by a RoleBinding, or name another account in spec.serviceAccountName",
		serviceAccount(run), list(lacking, 8), run.Namespace, besides(run))}
}

func chartField(run *v1alpha1.BenchmarkRun) string {
	if hasOwnChart(run) {
		return "spec.store.chart"
	}
	return "spec.store.name"
}

func besides(run *v1alpha1.BenchmarkRun) string {
	if hasOwnChart(run) {
		return ", and those to what spec.store.chart makes besides,"
	}
	return ""
}

// kindsOf are the kinds of a manifest and of Helm's record of it, each once, in order.
func kindsOf(manifest string) ([]schema.GroupVersionKind, error) {
	kinds := []schema.GroupVersionKind{releaseRecord}
	documents := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifest), 4096)
	for {
		object := unstructured.Unstructured{}
		err := documents.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading what the store's chart renders to: %w", err)
		}
		if kind := object.GroupVersionKind(); kind.Kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return kinds, nil
}
