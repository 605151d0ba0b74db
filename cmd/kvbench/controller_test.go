package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

func TestTheControllersImageIsThatOfItsOwnContainer(t *testing.T) {
	proxy, own, other := corev1.Container{Name: "linkerd-proxy", Image: "proxy"}, corev1.Container{Name: "controller", Image: "own"}, corev1.Container{Name: "kvbench", Image: "other"}
	for name, c := range map[string]struct {
		containers []corev1.Container
		want       string
	}{
		"alone":             {[]corev1.Container{own}, "own"},
		"behind a proxy":    {[]corev1.Container{proxy, own}, "own"},
		"of another's name": {[]corev1.Container{other, proxy}, "other"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ownContainer(&corev1.Pod{Spec: corev1.PodSpec{Containers: c.containers}}).Image; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestRunsGoOnWithoutTheCRDOfSuites(t *testing.T) {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(v1alpha1.GroupVersion.WithKind("BenchmarkRun"), meta.RESTScopeNamespace)
	if known, err := knowsSuites(mapper); known || err != nil {
		t.Errorf("%v, %v", known, err)
	}
	mapper.Add(v1alpha1.GroupVersion.WithKind("BenchmarkSuite"), meta.RESTScopeNamespace)
	if known, err := knowsSuites(mapper); !known || err != nil {
		t.Errorf("%v, %v", known, err)
	}
}
