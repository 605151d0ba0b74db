package integration

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// bindDeployer makes an account with the deployer's rights, until withdraw or the spec's end.
func (s *stage) bindDeployer(ctx context.Context, name string) (withdraw func(context.Context)) {
	GinkgoHelper()
	newAccount(ctx, s.namespace, name)
	return s.bind(ctx, name, "kvbench-deployer", true)
}

// bind gives the account a role, and waits until it may make StatefulSets by it, or may not.
func (s *stage) bind(ctx context.Context, account, role string, sets bool) (withdraw func(context.Context)) {
	GinkgoHelper()
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: account}}
	binding.RoleRef = rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role}
	binding.Subjects = []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.namespace, Name: account}}
	Expect(k8sClient.Create(ctx, binding)).To(Succeed())
	allowed := func(ctx context.Context) bool {
		return may(ctx, s.namespace, account, s.namespace, "create", "services") &&
			may(ctx, s.namespace, account, s.namespace, "create", "statefulsets.apps") == sets
	}
	Eventually(func() bool { return allowed(ctx) }).Should(BeTrue())
	withdraw = func(ctx context.Context) {
		GinkgoHelper()
		Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, binding))).To(Succeed())
		Eventually(func() bool { return allowed(ctx) }).Should(BeFalse())
	}
	DeferCleanup(withdraw)
	return withdraw
}

var _ = Describe("A service account that may not deploy the store", Ordered, Label("rights"), func() {
	var s *stage
	BeforeAll(func(ctx context.Context) {
		s = newStage()
		installRights(ctx, s.namespace)
		s.account = asAccount(ctx, systemNamespace, "kvbench-controller")
	})

	refused := func(account string) string {
		GinkgoHelper()
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.ServiceAccountName = account })
		s.reach(run, v1alpha1.ConditionAccepted, "DeployForbidden")
		s.nothingLeft(run)
		return meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted).Message
	}

	It("is named before its run waits for anything", func(ctx context.Context) {
		newAccount(ctx, s.namespace, "powerless")
		newAccount(ctx, s.namespace, "setless")
		role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "setless"}}
		role.Rules = []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"services", "configmaps", "secrets"}, Verbs: []string{"*"}},
			{APIGroups: []string{"networking.k8s.io", "policy"}, Resources: []string{"*"}, Verbs: []string{"*"}},
		}
		Expect(k8sClient.Create(ctx, role)).To(Succeed())
		DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, role)).To(Succeed()) })
		s.bind(ctx, "setless", "setless", false)

		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		DeferCleanup(s.start(s.results, nil))
		ahead := s.newRun(nil)
		s.reach(ahead, v1alpha1.ConditionStoreReady, "Steady")
		Expect(refused("powerless")).To(And(ContainSubstring("service account powerless"), ContainSubstring("secrets"),
			ContainSubstring("services"), ContainSubstring("statefulsets.apps"), ContainSubstring("spec.serviceAccountName")))
		Expect(refused("setless")).To(Equal("service account setless, with whose rights Helm deploys the store, may not create statefulsets.apps in namespace " + s.namespace +
			": give it the rights of kvbench-deployer by a RoleBinding, or name another account in spec.serviceAccountName"))
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(ahead), ahead)).To(Succeed())
		Expect(ahead.Status.Phase).NotTo(Equal("Complete"), "the others had to wait for it")
		s.sim.holdJobs.remove("worker")
		s.reach(ahead, v1alpha1.ConditionComplete, "Finished")
	})
})
