package main

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestARolloutIsOverWhenEveryReplicaIsNewAndAvailable(t *testing.T) {
	pods := []corev1.Pod{{
		ObjectMeta: metav1.ObjectMeta{Name: "w-0"},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}},
		}}},
	}}
	for name, c := range map[string]struct {
		observed                        int64
		want, updated, available, total int32
		missing                         []string
	}{
		"over":                        {2, 1, 1, 1, 1, nil},
		"nothing wanted":              {2, 0, 0, 0, 0, nil},
		"the spec isn't seen yet":     {1, 1, 1, 1, 1, []string{"w (until its old pods have ended)"}},
		"an old pod is left":          {2, 1, 1, 1, 2, []string{"w (until its old pods have ended)"}},
		"the new pod isn't available": {2, 1, 1, 0, 1, []string{"w 0/1 (ImagePullBackOff)"}},
		"the old pod is available":    {2, 1, 0, 1, 1, []string{"w 0/1 (ImagePullBackOff)"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "w", Generation: 2}}
			got := appendMissing(nil, o, c.want, c.observed, c.updated, c.available, c.total, pods)
			if !slices.Equal(got, c.missing) {
				t.Errorf("got %q, want %q", got, c.missing)
			}
		})
	}
}
