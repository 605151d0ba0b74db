package main

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestNotReadyNamesWhatIsMissing(t *testing.T) {
	node := func(name string, ready corev1.ConditionStatus) corev1.Node {
		return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue}, {Type: corev1.NodeReady, Status: ready},
		}}}
	}
	names := []string{"control-plane", "worker", "worker2"}
	for _, c := range []struct {
		of    string
		nodes []corev1.Node
		want  []string
	}{
		{"no node", nil, names},
		{"a node that never joined", []corev1.Node{node("control-plane", "True"), node("worker", "True")}, names[2:]},
		{"nodes that aren't ready", []corev1.Node{node("control-plane", "False"), node("worker", "Unknown"), node("worker2", "True")}, names[:2]},
		{"a node that has said nothing", []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}, node("control-plane", "True"), node("worker2", "True")}, names[1:2]},
		{"all, and one more", []corev1.Node{node("control-plane", "True"), node("worker", "True"), node("worker2", "True"), node("worker3", "False")}, []string{}},
	} {
		if got := notReady(names, c.nodes); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.of, got, c.want)
		}
	}
}
