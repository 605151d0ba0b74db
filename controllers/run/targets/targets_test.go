package targets

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
)

func TestFaultsOnAnOwnChartAreJudgedBeforeAnythingIsMeasured(t *testing.T) {
	for name, c := range map[string]struct {
		labels     map[string]string
		container  string
		allowed    bool
		faults     statetest.Situation
		want, says string
	}{
		"the release's own pods":                    {nil, "etcd", false, statetest.WithFault, "", ""},
		"of another container":                      {nil, "server", false, statetest.WithFault, "ContainerMissing", "it has: server"},
		"of another container, without faults":      {nil, "server", false, func(*state.Observed) {}, "", ""},
		"an operator's pods":                        {map[string]string{}, "etcd", false, statetest.WithFault, ReasonFaultsForbidden, "set spec.store.allowFaults to true"},
		"an operator's pods, without faults":        {map[string]string{}, "etcd", false, func(*state.Observed) {}, "", ""},
		"an operator's pods, where they may be hit": {map[string]string{}, "etcd", true, statetest.WithFault, "", ""},
		"another run's pods":                        {map[string]string{names.LabelUID: "another", names.LabelRole: names.RoleStore}, "etcd", false, statetest.WithFault, ReasonFaultsForbidden, "x-0"},
	} {
		t.Run(name, func(t *testing.T) {
			o := statetest.Given(statetest.OwnChart(c.faults))
			o.Plan.Store.Container, o.Plan.Store.Driver, o.Run.Spec.Store.AllowFaults = "etcd", "etcd", c.allowed
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "x-0", Labels: c.labels}}
			if c.labels == nil {
				pod.Labels = names.RunLabels(o.Run, names.RoleStore)
			}
			pod.Spec.Containers = []corev1.Container{{Name: c.container}}
			if got := Unfit(o, pod, plan.Member{Name: "x-0"}); got.Reason != c.want || !strings.Contains(got.Message, c.says) {
				t.Errorf("%+v, want %s with %q", got, c.want, c.says)
			}
		})
	}
}

func TestAPartitionIsNotMadeInTheNetworkOfANode(t *testing.T) {
	for action, want := range map[string]string{"Partition": "HostNetwork", "ContainerKill": ""} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "theirs-0"}}
		pod.Spec.HostNetwork, pod.Spec.Containers = true, []corev1.Container{{Name: "etcd"}}
		p := &plan.Plan{Store: plan.Store{Driver: "etcd", Container: "etcd"}}
		err := CheckPod(pod, &v1alpha1.BenchmarkRun{}, p, &plan.Fault{Name: "cut", Action: action}, plan.Member{Name: "theirs-0"})
		var refusal *compile.Refusal
		if got := errors.As(err, &refusal); got != (want != "") || got && (refusal.Reason != want || !strings.Contains(refusal.Message, "theirs-0")) {
			t.Errorf("%s: %v, want %q", action, err, want)
		}
	}
}

func TestAFaultHitsOnlyWhatCanComeBack(t *testing.T) {
	owned := func(kind string) []metav1.OwnerReference {
		return []metav1.OwnerReference{{Kind: kind, Name: "x", Controller: ptr.To(true)}}
	}
	volume := []corev1.Volume{{VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}}
	for name, c := range map[string]struct {
		driver, action string
		owners         []metav1.OwnerReference
		volumes        []corev1.Volume
		container      string
		want           string
	}{
		"a container that is there":          {"etcd", "ContainerKill", nil, nil, "etcd", ""},
		"a container that isn't":             {"etcd", "ContainerKill", nil, nil, "server", "ContainerMissing"},
		"a partition ends no container":      {"etcd", "Partition", nil, nil, "server", ""},
		"a pod that nobody makes again":      {"memcached", "PodKill", nil, nil, "memcached", "PodNotReplaced"},
		"a pod that gets another name":       {"memcached", "PodKill", owned("ReplicaSet"), nil, "memcached", "PodNotReplaced"},
		"a pod that comes back":              {"memcached", "PodKill", owned("StatefulSet"), nil, "memcached", ""},
		"a pod that comes back without data": {"etcd", "PodKill", owned("StatefulSet"), nil, "etcd", compile.ReasonNeedsPersistence},
		"a pod that comes back with data":    {"etcd", "PodKill", owned("StatefulSet"), volume, "etcd", ""},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "theirs-0", OwnerReferences: c.owners}}
			pod.Spec.Containers, pod.Spec.Volumes = []corev1.Container{{Name: c.container}}, c.volumes
			p := &plan.Plan{Store: plan.Store{Driver: c.driver, Container: c.driver}}
			err := CheckPod(pod, &v1alpha1.BenchmarkRun{}, p, &plan.Fault{Name: "kill", Action: c.action}, plan.Member{Name: "theirs-0"})
			var refusal *compile.Refusal
			if got := errors.As(err, &refusal); got != (c.want != "") || got && refusal.Reason != c.want {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
