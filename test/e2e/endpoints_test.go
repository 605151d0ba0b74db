//go:build e2e

package e2e

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/results/forward"
)

var _ = Describe("A cluster that runs already", Ordered, ContinueOnFailure, Label("endpoints"), func() {
	// kept is a run whose store goes on after it, as somebody's own would.
	var kept *v1alpha1.BenchmarkRun
	BeforeAll(func(ctx SpecContext) {
		kept = newRun("kept", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Retain = v1alpha1.RetainAlways
			r.Spec.Store.Values = &apiextensionsv1.JSON{Raw: []byte(`{"networkPolicy":{"enabled":false}}`)}
		})
		apply(ctx, kept)
		awaitEnd(ctx, kept, endTimeout)
		expectCondition(kept, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		Expect(expectCondition(kept, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue).Reason).To(Equal("Retained"))
	}, NodeTimeout(endTimeout))
	AfterAll(func(ctx SpecContext) {
		remove(ctx, kept)
		expectNothingLeft(ctx, kept)
	}, NodeTimeout(deleteTimeout))

	onKept := func(r *v1alpha1.BenchmarkRun) { onMembersOf(kept)(r) }
	pods := func(ctx context.Context) map[string]string {
		GinkgoHelper()
		list := &corev1.PodList{}
		Expect(k8s.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels{"kvbench.io/run-uid": string(kept.UID), "kvbench.io/role": "store"})).To(Succeed())
		uids := map[string]string{}
		for _, pod := range list.Items {
			uids[pod.Name] = string(pod.UID)
		}
		return uids
	}

	It("is measured with its leader killed, and stays", func(ctx SpecContext) {
		before := pods(ctx)
		Expect(before).To(HaveLen(3))
		run := newRun("endpoints", onKept, openLoop, killLeader, func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store.AllowFaults = true
			r.Spec.ServiceAccountName = breaker(ctx)
		})
		found := measure(ctx, run)
		Expect(found.Store.Name).To(Equal("ours"))
		Expect(found.Store.Existing).To(BeTrue())
		Expect(found.Store.Persistent).To(BeNil(), "nobody knows")
		Expect(found.Store.Values).To(BeEmpty(), "nobody knows")
		Expect(found.Faults).To(HaveLen(1))
		fault := found.Faults[0]
		Expect(before).To(HaveKey(fault.Target))
		Expect(fault.LeaderBefore).To(Equal(fault.Target))
		Expect(fault.OutageMicros).NotTo(BeNil())
		Expect(fault.OutageCensored).To(BeFalse())
		Expect(fault.HealedAt).NotTo(BeNil())
		Expect(pods(ctx)).To(Equal(before))
		expectSchema(download(ctx, openResults(ctx), run, forward.Report))
	}, SpecTimeout(measureTimeout))

	It("still has its records, for a run that loads none", func(ctx SpecContext) {
		run := newRun("again", onKept, func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Workloads[0].Preset, r.Spec.Workloads[0].Reset = "C", ptr.To(false)
		})
		found := measure(ctx, run)
		Expect(found.Workloads[0].Loading).To(BeNil())
		Expect(found.Workloads[0].Errors).To(BeEmpty())
		expectClosedLoop(found.Workloads[0])
	}, SpecTimeout(measureTimeout))

	It("is named with what is wrong, where nobody answers", Label("robustness"), func(ctx SpecContext) {
		run := newRun("nobody", onKept, func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store.Endpoints[1] = v1alpha1.EndpointSpec{Address: "nobody.invalid:2379"}
			r.Spec.Timeouts.Deploy = "20s"
		})
		apply(ctx, run)
		awaitEnd(ctx, run, endTimeout)
		failed := expectCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue)
		Expect(failed.Reason).To(Equal("EndpointsNotSteady"))
		AddReportEntry("message", failed.Message)
		Expect(failed.Message).To(ContainSubstring("nobody.invalid:2379 is not well: NoConnection: "))
		expectNothingLeft(ctx, run)
	}, SpecTimeout(endTimeout))
})

// onMembersOf makes it a run on the three members of etcd that the run has left.
func onMembersOf(left *v1alpha1.BenchmarkRun) option {
	return func(r *v1alpha1.BenchmarkRun) {
		id := compile.RunID(left.Name, string(left.UID))
		r.Spec.Store = v1alpha1.StoreSpec{Name: "ours", Driver: "etcd", Nodes: 3}
		for i := range 3 {
			pod := fmt.Sprintf("%s-%d", id, i)
			r.Spec.Store.Endpoints = append(r.Spec.Store.Endpoints, v1alpha1.EndpointSpec{Address: pod + "." + id + ":2379", Pod: pod})
		}
	}
}

// breaker is a service account whose runs may hit pods with faults, until the spec is over.
func breaker(ctx context.Context) string {
	GinkgoHelper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: "e2e-breaker"}
	for _, object := range []client.Object{
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"fault"}}}},
		&rbacv1.RoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: meta.Name}},
		},
	} {
		Expect(client.IgnoreAlreadyExists(k8s.Create(ctx, object))).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(k8s.Delete(ctx, object))).To(Succeed()) })
	}
	return meta.Name
}
