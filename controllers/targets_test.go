package controllers

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
)

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
			err := checkPod(pod, &v1alpha1.BenchmarkRun{}, p, &plan.Fault{Name: "kill", Action: c.action}, plan.Member{Name: "theirs-0"})
			var refusal *compile.Refusal
			if got := errors.As(err, &refusal); got != (c.want != "") || got && refusal.Reason != c.want {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
