package objects

import (
	"encoding/json"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/plan"
)

func placed(t *testing.T, placement plan.Placement) (members corev1.PodSpec, pods map[string]corev1.PodSpec) {
	t.Helper()
	o := statetest.Given(statetest.Planned)
	o.Plan.Placement = &placement
	o.Run.Spec.ImagePullSecrets = []v1alpha1.PullSecret{{Name: "registry"}}
	o.Plan.Store.Chart, o.Plan.Store.Values = "etcd", json.RawMessage(`{"nodes":3}`)
	release, err := (&Maker{}).CatalogRelease(o.Run, o.Plan)
	statetest.Must(t, err)
	// The values have the names of a pod's fields.
	statetest.Must(t, json.Unmarshal(release.Values, &members))
	pods = map[string]corev1.PodSpec{}
	for role, template := range templates(o) {
		pods[role] = template.Spec
	}
	return members, pods
}

func TestPodsAreWhereThePlacementSays(t *testing.T) {
	taint := []plan.Toleration{{Key: "benchmarks", Operator: "Exists", Effect: "NoSchedule"}}
	members, pods := placed(t, plan.Placement{
		Members:   plan.PodPlacement{NodeSelector: map[string]string{"pool": "stores"}, Tolerations: taint, Spread: plan.SpreadNodes},
		Workers:   plan.PodPlacement{NodeSelector: map[string]string{"pool": "clients"}, Spread: plan.SpreadOneNode},
		ToMembers: plan.ToMembersApart,
	})
	run := statetest.Given().Run
	apart := members.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if len(apart) != 1 || !reflect.DeepEqual(apart[0], podsOf(run, names.RoleStore)) {
		t.Errorf("members: %+v", apart)
	}
	if len(members.Tolerations) != 1 || members.Tolerations[0].Key != "benchmarks" || members.NodeSelector["pool"] != "stores" {
		t.Errorf("members: %+v", members)
	}
	if observer := pods[names.RoleObserver]; observer.Affinity != nil || observer.NodeSelector["pool"] != "clients" {
		t.Errorf("the observer, which is made before the members: %+v", observer)
	}
	delete(pods, names.RoleObserver)
	for role, pod := range pods {
		apart, together := pod.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, pod.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		if len(apart) != 1 || !reflect.DeepEqual(apart[0], podsOf(run, names.RoleStore)) {
			t.Errorf("%s apart from %+v", role, apart)
		}
		if len(together) != 1 || !reflect.DeepEqual(together[0], podsOf(run, role)) {
			t.Errorf("%s together with %+v", role, together)
		}
		if pod.NodeSelector["pool"] != "clients" || len(pod.Tolerations) != len(deadNodes()) {
			t.Errorf("%s: %+v", role, pod)
		}
	}
}

func TestPodsAreEvenOverZones(t *testing.T) {
	members, pods := placed(t, plan.Placement{Members: plan.PodPlacement{Spread: plan.SpreadZone}, ToMembers: plan.ToMembersBeside})
	over := members.TopologySpreadConstraints
	if len(over) != 2 || over[0].TopologyKey != corev1.LabelTopologyZone || over[0].WhenUnsatisfiable != corev1.DoNotSchedule || over[1].WhenUnsatisfiable != corev1.ScheduleAnyway || *over[0].NodeTaintsPolicy != corev1.NodeInclusionPolicyHonor {
		t.Errorf("%+v", over)
	}
	delete(pods, names.RoleObserver)
	for role, pod := range pods {
		if beside := pod.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution; len(beside) != 1 || pod.Affinity.PodAntiAffinity != nil {
			t.Errorf("%s: %+v", role, pod.Affinity)
		}
	}
}

func TestASecretIsNamedOnce(t *testing.T) {
	run := statetest.Given().Run
	run.Spec.ImagePullSecrets = []v1alpha1.PullSecret{{Name: "registry"}, {Name: "mirror"}}
	secrets := pullSecrets(run, []corev1.LocalObjectReference{{Name: "own"}, {Name: "registry"}})
	if len(secrets) != 3 || secrets[2].Name != "own" {
		t.Errorf("%+v", secrets)
	}
}

func TestImagesOfAllPodsArePulledWithTheRunsSecrets(t *testing.T) {
	members, pods := placed(t, plan.Placement{})
	pods[names.RoleStore] = members
	for role, pod := range pods {
		if len(pod.ImagePullSecrets) != 1 || pod.ImagePullSecrets[0].Name != "registry" {
			t.Errorf("%s: %+v", role, pod.ImagePullSecrets)
		}
	}
}
