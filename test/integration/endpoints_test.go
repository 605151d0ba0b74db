package integration

import (
	"context"
	"fmt"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
)

var _ = Describe("A run on endpoints", Ordered, Label("endpoints"), func() {
	var s *stage
	BeforeAll(func(ctx context.Context) {
		s = newStage()
		installRights(ctx, s.namespace)
		s.account = asAccount(ctx, systemNamespace, "kvbench-controller")
		s.results.measureFor = 100 * time.Millisecond
	})

	// existing are three members, in pods of this name where it isn't empty.
	existing := func(spec *v1alpha1.BenchmarkRunSpec, pods string) {
		spec.Store = v1alpha1.StoreSpec{Name: "ours", Driver: "etcd", Nodes: 3}
		for i := range 3 {
			endpoint := v1alpha1.EndpointSpec{Address: fmt.Sprintf("ours-%d.ours:2379", i)}
			if pods != "" {
				endpoint.Pod = fmt.Sprintf("%s-%d", pods, i)
			}
			spec.Store.Endpoints = append(spec.Store.Endpoints, endpoint)
		}
	}
	// faulty are runs that kill a member, with the rights of the account.
	faulty := func(account, pods string, at ...v1alpha1.Duration) *v1alpha1.BenchmarkRun {
		GinkgoHelper()
		return s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			existing(spec, pods)
			spec.ServiceAccountName = account
			spec.Store.AllowFaults = true
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "1s"}}
			if len(at) > 0 {
				spec.Faults[0].At, spec.Workloads[0].Duration = at[0], ptr.To(v1alpha1.Duration("60s"))
			}
		})
	}
	// somebodys makes three pods, which are none of kvbench's.
	somebodys := func(ctx context.Context, name, container string) {
		GinkgoHelper()
		for i := range 3 {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: fmt.Sprintf("%s-%d", name, i)}}
			pod.Spec.Containers = []corev1.Container{{Name: "sidecar", Image: "i"}, {Name: container, Image: "i"}}
			Expect(k8sClient.Create(ctx, pod)).To(Succeed())
			DeferCleanup(func(ctx context.Context) {
				Expect(k8sClient.Delete(ctx, pod, client.GracePeriodSeconds(0))).To(Succeed(), "the run removed it")
			})
		}
	}
	// grant makes an account that has the verb on pods, until withdraw or the spec's end.
	grant := func(ctx context.Context, name, verb string) (withdraw func(context.Context)) {
		GinkgoHelper()
		newAccount(ctx, s.namespace, name)
		role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name}}
		role.Rules = []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{verb}}}
		binding := &rbacv1.RoleBinding{ObjectMeta: role.ObjectMeta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name}}
		binding.Subjects = []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.namespace, Name: name}}
		withdraw = func(ctx context.Context) {
			for _, object := range []client.Object{role, binding} {
				Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, object))).To(Succeed())
			}
			Eventually(func() bool { return may(ctx, s.namespace, name, s.namespace, verb, "pods") }).Should(BeFalse())
		}
		for _, object := range []client.Object{role, binding} {
			Expect(k8sClient.Create(ctx, object)).To(Succeed())
		}
		DeferCleanup(withdraw)
		Eventually(func() bool { return may(ctx, s.namespace, name, s.namespace, verb, "pods") }).Should(BeTrue())
		return withdraw
	}
	said := func(run *v1alpha1.BenchmarkRun, kind string) string {
		return meta.FindStatusCondition(run.Status.Conditions, kind).Message
	}

	It("deploys nothing, needs no rights for it, empties nothing, and leaves nothing", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			existing(spec, "")
			spec.ServiceAccountName = "nobody"
		})
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(said(run, v1alpha1.ConditionStoreReady)).To(ContainSubstring("spec.store.endpoints"))
		id := compile.RunID(run.Name, string(run.UID))
		Expect(s.sim.madeFor(run)).To(Equal(map[string]int{id + "-load-a": 1, id + "-measure-a": 1}))
		s.nothingLeft(run)
	})

	It("says what the observer sees, if they never get well", func(ctx context.Context) {
		s.sim.keepUnready.add("observer")
		DeferCleanup(func() { s.sim.keepUnready.remove("observer") })
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			existing(spec, "")
			spec.Timeouts.Deploy = "8s"
		})
		s.reach(run, v1alpha1.ConditionStoreReady, "NotSteady")
		s.reach(run, v1alpha1.ConditionFailed, "EndpointsNotSteady")
		Expect(said(run, v1alpha1.ConditionFailed)).To(And(ContainSubstring("all 3 members well within 8s"), ContainSubstring("all members answer, and they don't agree on who leads")))
		s.nothingLeft(run)
	})

	It("ends their pods only where its service account might", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		somebodys(ctx, "theirs", "etcd")
		run := faulty("kvbench-deployer", "theirs")
		s.reach(run, v1alpha1.ConditionAccepted, "FaultsForbidden")
		Expect(said(run, v1alpha1.ConditionAccepted)).To(And(
			ContainSubstring("theirs-0"), ContainSubstring("spec.store.endpoints[0]"), ContainSubstring("service account kvbench-deployer hasn't the verb fault")))
		s.nothingLeft(run)

		// Whoever may delete them has another right than this one.
		grant(ctx, "deleter", "delete")
		run = faulty("deleter", "theirs")
		s.reach(run, v1alpha1.ConditionAccepted, "FaultsForbidden")

		grant(ctx, "breaker", "fault")
		s.sim.awaitFault.Store(true)
		DeferCleanup(func() { s.sim.awaitFault.Store(false) })
		run = faulty("breaker", "theirs")
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		injected := s.sim.injectedFor(run.UID)
		Expect(injected).To(HaveLen(1))
		Expect(injected[0].Namespace).To(Equal(s.namespace))
		Expect(fmt.Sprint(injected[0].Spec.Selector.Pods[s.namespace], injected[0].Spec.ContainerNames)).To(MatchRegexp(`^\[theirs-[012]\] \[etcd\]$`))
		s.nothingLeft(run)
	})

	It("ends none once the right was withdrawn", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		somebodys(ctx, "kept", "etcd")
		withdraw := grant(ctx, "former", "fault")
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		run := faulty("former", "kept", "5s")
		s.reach(run, v1alpha1.ConditionStoreReady, "Steady")
		withdraw(ctx)
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(run.Status.Faults).To(HaveLen(1))
			g.Expect(run.Status.Faults[0].Message).To(ContainSubstring("hasn't the verb fault"))
		}, time.Minute, 50*time.Millisecond).Should(Succeed())
		kills := &chaos.PodChaosList{}
		Expect(s.sim.List(ctx, kills, client.InNamespace(s.namespace))).To(Succeed())
		Expect(kills.Items).To(BeEmpty())
		s.remove(ctx, run)
	})

	It("says what is wrong with the pods that faults would hit", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		grant(ctx, "prober", "fault")
		run := faulty("prober", "nobodys")
		s.reach(run, v1alpha1.ConditionAccepted, "PodMissing")
		Expect(said(run, v1alpha1.ConditionAccepted)).To(ContainSubstring("spec.store.endpoints[0].pod: there is no pod nobodys-0"))
		somebodys(ctx, "others", "server")
		run = faulty("prober", "others")
		s.reach(run, v1alpha1.ConditionAccepted, "ContainerMissing")
		Expect(said(run, v1alpha1.ConditionAccepted)).To(And(ContainSubstring(`no container "etcd"`), ContainSubstring("it has: sidecar, server")))
		s.nothingLeft(run)
	})
})
