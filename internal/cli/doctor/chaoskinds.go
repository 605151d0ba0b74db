package doctor

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
)

var chaosGroup = schema.GroupVersion{Group: "chaos-mesh.org", Version: "v1alpha1"}

// recordKind is of Chaos Mesh's own records of the rules in a pod, which kvbench reads after a partition.
const recordKind = "PodNetworkChaos"

// checkChaosKinds says whether Chaos Mesh's kinds are there, and take what kvbench writes. An older one drops what it doesn't know.
func checkChaosKinds(ctx context.Context, c *kube.Cluster) (findings []Finding, there bool) {
	published, err := schemasOf(ctx, c, chaosGroup)
	if err != nil && !apierrors.IsNotFound(err) {
		return []Finding{unanswered(err, readingOf(chaosGroup))}, true
	}
	return judgeChaosKinds(published)
}

func judgeChaosKinds(published schemas) (findings []Finding, there bool) {
	wanted := []string{recordKind}
	for _, k := range chaosmesh.Kinds() {
		wanted = append(wanted, k.Name)
	}
	lacks := slices.DeleteFunc(wanted, func(name string) bool { return published[name] != nil })
	if len(lacks) > 0 {
		slices.Sort(lacks)
		return []Finding{problem(wholeCluster, "there is no kind %s of %s", few(lacks), chaosGroup).so(withoutFaults).mend(installChaosMesh)}, false
	}
	for _, action := range faults.Names() {
		if paths := unfitAction(action, published); len(paths) > 0 {
			findings = append(findings, problem(wholeCluster, "its kinds lack what the fault %s needs: %s", action, few(paths)).
				so("Chaos Mesh drops it or refuses it, and the fault isn't the one that was asked for").mend("upgrade Chaos Mesh, with its definitions"))
		}
	}
	if findings == nil {
		findings = []Finding{ok(wholeCluster, "its kinds have all fields that the faults of this version need (%s)", few(faults.Names()))}
	}
	return findings, true
}

// unfitAction are the fields of an example of the fault that its kind's schema hasn't.
func unfitAction(action string, published schemas) []string {
	builder, known := chaosmesh.BuilderOf(action)
	if !known {
		return nil
	}
	object, err := builder.Object(chaosmesh.Injection{
		Meta:      metav1.ObjectMeta{Name: "example", Namespace: "example"},
		Sides:     faults.Sides{Targets: []string{"a"}, Peers: []string{"b"}},
		Container: "a", Lasts: time.Second,
	})
	if err != nil {
		return []string{err.Error()}
	}
	return unfitSpec(object, published[builder.Kind.Name])
}

// unfitSpec are the fields of an object's spec that the schema hasn't.
func unfitSpec(object any, allowed *apiextensionsv1.JSONSchemaProps) []string {
	document, err := json.Marshal(object)
	if err != nil {
		return []string{err.Error()}
	}
	var written map[string]any
	if err := json.Unmarshal(document, &written); err != nil {
		return []string{err.Error()}
	}
	spec, has := allowed.Properties["spec"]
	if !has {
		return nil // the schema says nothing of it
	}
	return unfit(written["spec"], &spec, "spec")
}
