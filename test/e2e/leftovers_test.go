//go:build e2e

package e2e

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// kinds are all that a run makes.
var kinds = []schema.GroupVersionKind{
	{Version: "v1", Kind: "Pod"},
	{Version: "v1", Kind: "PersistentVolumeClaim"},
	{Version: "v1", Kind: "ConfigMap"},
	{Version: "v1", Kind: "Secret"}, // Helm's release
	{Version: "v1", Kind: "Service"},
	{Group: "apps", Version: "v1", Kind: "StatefulSet"},
	{Group: "apps", Version: "v1", Kind: "Deployment"},
	{Group: "batch", Version: "v1", Kind: "Job"},
	{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"},
	{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"},
	{Group: "chaos-mesh.org", Version: "v1alpha1", Kind: "PodChaos"},
	{Group: "chaos-mesh.org", Version: "v1alpha1", Kind: "NetworkChaos"},
}

// leftovers lists what there is of the run, by its label and, for what somebody else made
// (Helm, a StatefulSet), by name.
func leftovers(ctx context.Context, run *v1alpha1.BenchmarkRun) []string {
	GinkgoHelper()
	var found []string
	for _, kind := range kinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		Expect(k8s.List(ctx, list, client.InNamespace(run.Namespace))).To(Succeed())
		for i := range list.Items {
			o := &list.Items[i]
			if o.GetLabels()["kvbench.io/run-uid"] == string(run.UID) || strings.Contains(o.GetName(), run.Name) {
				found = append(found, kind.Kind+"/"+o.GetName())
			}
		}
	}
	return found
}

func expectNothingLeft(ctx context.Context, run *v1alpha1.BenchmarkRun) {
	GinkgoHelper()
	Expect(leftovers(ctx, run)).To(BeEmpty(), "the run left something behind")
}
