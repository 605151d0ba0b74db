package integration

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
)

// Whoever may write in a run's namespace can make objects with the names and the labels of
// the run's own.
var _ = Describe("An object that somebody made for a run", Ordered, Label("tenant"), func() {
	var s *stage
	BeforeAll(func(ctx context.Context) {
		s = newStage()
		installRights(ctx, s.namespace)
		s.account = asAccount(ctx, systemNamespace, "kvbench-controller")
		s.results.measureFor = 100 * time.Millisecond
	})

	// queued is a run that waits behind another, so that there is time to forge.
	queued := func(ctx context.Context) (run *v1alpha1.BenchmarkRun, next func()) {
		GinkgoHelper()
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		first := s.newRun(nil)
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(first), first)).To(Succeed())
			g.Expect(first.Status.Phase).To(Equal("Measuring"))
		}, time.Minute).Should(Succeed())
		run = s.newRun(nil)
		s.reach(run, v1alpha1.ConditionAccepted, "Queued")
		return run, func() {
			s.sim.holdJobs.remove("worker")
			Expect(k8sClient.Delete(ctx, first)).To(Succeed())
		}
	}
	named := func(run *v1alpha1.BenchmarkRun, suffix, role string) metav1.ObjectMeta {
		id := compile.RunID(run.Name, string(run.UID))
		return metav1.ObjectMeta{Namespace: run.Namespace, Name: id + suffix, Labels: map[string]string{
			"kvbench.io/run-uid": string(run.UID), "kvbench.io/run": id, "kvbench.io/role": role,
		}}
	}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"forged": "true"}},
		Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "c", Image: "none"}}},
	}
	untouched := func(ctx context.Context, object client.Object) {
		GinkgoHelper()
		uid := object.GetUID()
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
		Expect(object.GetUID()).To(Equal(uid))
		Expect(object.GetDeletionTimestamp()).To(BeNil())
		Expect(k8sClient.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationBackground))).To(Succeed())
	}

	for _, forged := range []struct{ suffix, role string }{{"-load-a", "load"}, {"-measure-a", "worker"}} {
		It("is not taken for its Job "+forged.suffix+", and not removed", func(ctx context.Context) {
			DeferCleanup(s.start(s.results, nil))
			run, next := queued(ctx)
			job := &batchv1.Job{ObjectMeta: named(run, forged.suffix, forged.role), Spec: batchv1.JobSpec{Template: template}}
			Expect(k8sClient.Create(ctx, job)).To(Succeed())
			s.sim.end(ctx, job, batchv1.JobComplete)
			next()
			s.reach(run, v1alpha1.ConditionFailed, "NameTaken")
			Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed).Message).To(ContainSubstring("the Job " + job.Name))
			Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionCleanedUp)).To(BeTrue())
			untouched(ctx, job)
		})
	}

	It("is not taken for its observer", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		run, next := queued(ctx)
		deployment := &appsv1.Deployment{ObjectMeta: named(run, "-observer", "observer"), Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: template.Labels}, Template: corev1.PodTemplateSpec{ObjectMeta: template.ObjectMeta, Spec: corev1.PodSpec{Containers: template.Spec.Containers}},
		}}
		Expect(k8sClient.Create(ctx, deployment)).To(Succeed())
		next()
		s.reach(run, v1alpha1.ConditionFailed, "NameTaken")
		untouched(ctx, deployment)
	})

	// forgePlan puts another plan in the place of a run's.
	forgePlan := func(ctx context.Context, run *v1alpha1.BenchmarkRun) *corev1.ConfigMap {
		GinkgoHelper()
		plan := &corev1.ConfigMap{ObjectMeta: named(run, "-plan", "plan")}
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(plan), plan)).To(Succeed())
		Expect(k8sClient.Delete(ctx, plan)).To(Succeed())
		// The owner is the run, as in the plan that was there: only the content differs.
		forged := &corev1.ConfigMap{ObjectMeta: named(run, "-plan", "plan"), Data: map[string]string{"plan.json": plan.Data["plan.json"] + " "}}
		forged.OwnerReferences = plan.OwnerReferences
		Expect(k8sClient.Create(ctx, forged)).To(Succeed())
		return forged
	}

	It("is not taken for its plan", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		run, next := queued(ctx)
		forged := forgePlan(ctx, run)
		next()
		s.reach(run, v1alpha1.ConditionFailed, "NameTaken")
		Expect(s.results.posts[string(run.UID)]).To(BeZero(), "nothing was measured")
		untouched(ctx, forged)
	})

	It("is not taken for its plan, however often the note of that is lost", func(ctx context.Context) {
		var lost atomic.Int32
		DeferCleanup(s.start(s.results, func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(request *http.Request) (*http.Response, error) {
				if !strings.HasSuffix(request.URL.Path, "/status") || !strings.Contains(bodyOf(request), "NameTaken") || lost.Add(1) > 3 {
					return next.RoundTrip(request)
				}
				return answer(request, http.StatusConflict, metav1.StatusReasonConflict), nil
			})
		}))
		run, next := queued(ctx)
		forged := forgePlan(ctx, run)
		next()
		s.reach(run, v1alpha1.ConditionFailed, "NameTaken")
		Expect(lost.Load()).To(BeNumerically(">", 3))
		untouched(ctx, forged)
	})

	It("ends a run that is under way, where it is the plan", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		run := s.newRun(nil)
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(run.Status.Phase).To(Equal("Measuring"))
		}, time.Minute).Should(Succeed())
		plan := &corev1.ConfigMap{ObjectMeta: named(run, "-plan", "plan")}
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(plan), plan)).To(Succeed())
		Expect(k8sClient.Delete(ctx, plan)).To(Succeed())
		forged := &corev1.ConfigMap{ObjectMeta: named(run, "-plan", "plan"), Data: map[string]string{"plan.json": "{}"}}
		forged.OwnerReferences = plan.OwnerReferences
		Expect(k8sClient.Create(ctx, forged)).To(Succeed())
		s.reach(run, v1alpha1.ConditionFailed, "PlanLost")
		s.nothingLeft(run)
	})

	It("is not taken for its fault", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "500ms", Target: &v1alpha1.FaultTarget{Member: ptr.To[int32](1)}}}
		})
		kill := &chaos.PodChaos{ObjectMeta: named(run, "-fault-kill", "fault")}
		// As injected as the real one would be, when the fault becomes due.
		kill.Status.Conditions = []chaos.ChaosCondition{
			{Type: chaos.ConditionSelected, Status: corev1.ConditionTrue}, {Type: chaos.ConditionAllInjected, Status: corev1.ConditionTrue},
		}
		Expect(s.sim.Create(ctx, kill)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(run.Status.Faults).To(HaveLen(1))
			g.Expect(run.Status.Faults[0].State).To(Equal(v1alpha1.FaultIntended))
			g.Expect(run.Status.Faults[0].Message).To(ContainSubstring("exists and isn't this run's"))
		}, time.Minute, 50*time.Millisecond).Should(Succeed())
		s.sim.holdJobs.remove("worker")
		s.reach(run, v1alpha1.ConditionFailed, "FaultNotInjected")
		Expect(run.Status.Faults[0].State).To(Equal(v1alpha1.FaultNotInjected))
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed).Message).To(HavePrefix("fault kill was not injected"))
		Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionCleanedUp)).To(BeTrue())
		uid := kill.UID
		Expect(s.sim.Get(ctx, client.ObjectKeyFromObject(kill), kill)).To(Succeed(), "it is not removed")
		Expect(kill.UID).To(Equal(uid))
		Expect(kill.DeletionTimestamp).To(BeNil())
		Expect(s.sim.Delete(ctx, kill)).To(Succeed())
	})
})
