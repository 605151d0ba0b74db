package kube

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

func TestASuiteIsGoneWhenItsRunsAre(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	suite := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "s", UID: "9"}}
	of := func(name string, owner types.UID) *v1alpha1.BenchmarkRun {
		return &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkSuite", Name: "s", UID: owner, Controller: ptr.To(true)},
		}}}
	}
	own, other := of("own", "9"), of("other", "8")
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(suite, own, other).Build()
	read := &v1alpha1.BenchmarkSuite{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(suite), read); err != nil {
		t.Fatal(err)
	}
	bounded, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := DeleteAndWait(bounded, c, read); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a run that is there still: %v", err)
	}
	if err := c.Delete(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	if err := DeleteAndWait(t.Context(), c, read); err != nil {
		t.Errorf("with runs of others alone: %v", err)
	}
}
