package integration

import (
	"context"
	"strings"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/helm"
)

const deployer = "kvbench-deployer"

// chartOf is a chart with these templates. Each tries something beside a ConfigMap that
// the deployer may make.
func chartOf(templates ...string) fstest.MapFS {
	chart := fstest.MapFS{
		"Chart.yaml":             {Data: []byte("apiVersion: v2\nname: hostile\nversion: 1.0.0\n")},
		"templates/allowed.yaml": {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: allowed}\n")},
		"templates/hostile.yaml": {Data: []byte(strings.Join(templates, "\n---\n"))},
	}
	return chart
}

const (
	clusterAdmin = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: tried}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: kvbench-deployer, namespace: {{ .Release.Namespace }}}]`
	clusterRole = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: tried}
rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]`
	roleBinding = `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: tried}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
subjects: [{kind: ServiceAccount, name: kvbench-deployer, namespace: {{ .Release.Namespace }}}]`
	elsewhere     = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tried, namespace: kvbench-system}"
	newSpace      = "apiVersion: v1\nkind: Namespace\nmetadata: {name: tried}"
	someAccount   = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: tried}"
	pod           = "apiVersion: v1\nkind: Pod\nmetadata: {name: tried}\nspec: {serviceAccountName: powerful, containers: [{name: c, image: i}]}"
	hostileRun    = "apiVersion: kvbench.io/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: tried}\nspec: {store: {name: etcd, nodes: 1}, workloads: [{name: a, preset: A}]}"
	inList        = "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ServiceAccount, metadata: {name: tried}}]"
	jobOfPowerful = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: tried, annotations: {helm.sh/hook: %s}}\n" +
		"spec: {template: {spec: {serviceAccountName: powerful, restartPolicy: Never, containers: [{name: c, image: i}]}}}"
)

var _ = Describe("A store's chart", Label("tenant"), func() {
	var namespace string

	BeforeEach(func(ctx context.Context) {
		namespace = newNamespace(ctx, "tenant")
		installRights(ctx, namespace)
		newAccount(ctx, namespace, "powerful")
	})

	release := func(chart fstest.MapFS) helm.Release {
		return helm.Release{Name: "hostile", Namespace: namespace, Chart: chart, Labels: map[string]string{"tried-in": namespace}}
	}
	// left are the objects that carry the release's label, in all namespaces.
	left := func(ctx context.Context) []string {
		var names []string
		for _, list := range []client.ObjectList{
			&corev1.ConfigMapList{}, &corev1.ServiceAccountList{}, &corev1.PodList{}, &corev1.NamespaceList{}, &corev1.SecretList{},
			&batchv1.JobList{}, &rbacv1.RoleBindingList{}, &rbacv1.ClusterRoleList{}, &rbacv1.ClusterRoleBindingList{},
		} {
			Expect(k8sClient.List(ctx, list, client.MatchingLabels{"tried-in": namespace})).To(Succeed())
			Expect(meta.EachListItem(list, func(item runtime.Object) error {
				names = append(names, item.(client.Object).GetName())
				return nil
			})).To(Succeed())
		}
		return names
	}

	DescribeTable("gets nothing that the deployer may not do:",
		func(ctx context.Context, templates ...string) {
			controller := asAccount(ctx, systemNamespace, "kvbench-controller")
			releases := helm.New(helm.As(controller, namespace, deployer), namespace)

			err := releases.Install(ctx, release(chartOf(templates...)))
			Expect(helm.IsForbidden(err)).To(BeTrue(), "got: %v", err)
			Expect(err.Error()).To(ContainSubstring("system:serviceaccount:" + namespace + ":" + deployer))

			Expect(releases.Uninstall(ctx, "hostile")).To(Succeed())
			Expect(left(ctx)).To(BeEmpty())
			Expect(releases.State(ctx, "hostile")).To(HaveField("Status", helm.Absent))
		},
		Entry("a binding to cluster-admin", clusterAdmin),
		Entry("a role for everything", clusterRole),
		Entry("both", clusterRole, clusterAdmin),
		Entry("a binding in its namespace", roleBinding),
		Entry("an object in the operator's namespace", elsewhere),
		Entry("a namespace", newSpace),
		Entry("a service account", someAccount),
		Entry("a pod of another service account", pod),
		Entry("a run", hostileRun),
		Entry("a service account within a list", inList),
		Entry("a hook before the install", strings.ReplaceAll(jobOfPowerful, "%s", "pre-install")),
		Entry("a hook after the install", strings.ReplaceAll(jobOfPowerful, "%s", "post-install")),
	)

	It("is installed and removed where it asks for what the deployer may do", func(ctx context.Context) {
		releases := helm.New(helm.As(asAccount(ctx, systemNamespace, "kvbench-controller"), namespace, deployer), namespace)
		Expect(releases.Install(ctx, release(chartOf()))).To(Succeed())
		Expect(left(ctx)).To(ContainElement("allowed"))
		Expect(releases.Uninstall(ctx, "hostile")).To(Succeed())
		Expect(left(ctx)).To(BeEmpty())
	})

	It("runs no hooks that somebody wrote into its record", func(ctx context.Context) {
		releases := helm.New(helm.As(asAccount(ctx, systemNamespace, "kvbench-controller"), namespace, deployer), namespace)
		hooked := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tried, annotations: {helm.sh/hook: pre-delete}}"
		Expect(releases.Install(ctx, release(chartOf(hooked)))).To(Succeed())
		Expect(releases.Uninstall(ctx, "hostile")).To(Succeed())
		Expect(k8sClient.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "tried"}, &corev1.ConfigMap{})).
			To(MatchError(ContainSubstring("not found")))
	})

	It("is deployed with no rights of an account of another namespace", func(ctx context.Context) {
		other := newNamespace(ctx, "other")
		installRights(ctx, other)
		releases := helm.New(helm.As(asAccount(ctx, systemNamespace, "kvbench-controller"), other, deployer), namespace)
		Expect(helm.IsForbidden(releases.Install(ctx, release(chartOf())))).To(BeTrue())
		Expect(left(ctx)).To(BeEmpty())
	})
})

var _ = Describe("The rights of the chart", Label("tenant"), func() {
	var namespace, other string

	BeforeEach(func(ctx context.Context) {
		namespace, other = newNamespace(ctx, "tenant"), newNamespace(ctx, "other")
		installRights(ctx, namespace)
		Expect(k8sClient.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: other, Name: "theirs"}})).To(Succeed())
	})

	It("let the deployer deploy a store, and no more", func(ctx context.Context) {
		for _, right := range []string{"create statefulsets.apps", "create services", "create poddisruptionbudgets.policy", "create networkpolicies.networking.k8s.io", "create secrets", "delete persistentvolumeclaims"} {
			verb, resource, _ := strings.Cut(right, " ")
			Expect(may(ctx, namespace, deployer, namespace, verb, resource)).To(BeTrue(), right)
			Expect(may(ctx, namespace, deployer, other, verb, resource)).To(BeFalse(), "%s in another namespace", right)
			Expect(may(ctx, namespace, deployer, systemNamespace, verb, resource)).To(BeFalse(), "%s in the operator's", right)
		}
		for _, right := range []string{
			"create rolebindings.rbac.authorization.k8s.io", "create roles.rbac.authorization.k8s.io",
			"bind clusterroles.rbac.authorization.k8s.io", "escalate roles.rbac.authorization.k8s.io",
			"create clusterrolebindings.rbac.authorization.k8s.io", "impersonate serviceaccounts", "impersonate users",
			"create serviceaccounts", "create serviceaccounts:token", "create pods", "create pods:exec", "patch pods:status",
			"create pods:ephemeralcontainers", "create jobs.batch", "create deployments.apps", "create podchaos.chaos-mesh.org",
			"create benchmarkruns.kvbench.io", "patch benchmarkruns:status.kvbench.io", "create namespaces", "get nodes",
		} {
			verb, resource, _ := strings.Cut(right, " ")
			for _, in := range []string{namespace, other, ""} {
				Expect(may(ctx, namespace, deployer, in, verb, resource)).To(BeFalse(), "%s in %q", right, in)
			}
		}
	})

	It("let the controller read no Secret but its own, and make no pod and no binding itself", func(ctx context.Context) {
		const controller = "kvbench-controller"
		Expect(may(ctx, systemNamespace, controller, systemNamespace, "get", "secrets/kvbench-results-tls")).To(BeTrue())
		Expect(may(ctx, systemNamespace, controller, other, "impersonate", "serviceaccounts")).To(BeTrue(), "which it needs for Helm")
		Expect(may(ctx, systemNamespace, controller, other, "create", "benchmarkruns.kvbench.io")).To(BeTrue(), "which it needs for suites")
		for _, right := range []string{
			"get secrets", "list secrets", "get secrets/theirs", "create pods", "create statefulsets.apps", "create services",
			"create rolebindings.rbac.authorization.k8s.io", "create clusterrolebindings.rbac.authorization.k8s.io",
			"impersonate users", "impersonate groups", "create serviceaccounts:token", "create benchmarksuites.kvbench.io",
			"patch benchmarksuites.kvbench.io", "delete benchmarkruns.kvbench.io", "delete persistentvolumeclaims", "delete namespaces", "patch serviceaccounts",
		} {
			verb, resource, _ := strings.Cut(right, " ")
			for _, in := range []string{other, systemNamespace, ""} {
				Expect(may(ctx, systemNamespace, controller, in, verb, resource)).To(BeFalse(), "%s in %q", right, in)
			}
		}
	})

	It("let a user use kvbench in the namespace, reach the results server, and no more", func(ctx context.Context) {
		anna := func(in, verb, resource string) bool {
			GinkgoHelper()
			return mayUser(ctx, "anna", nil, in, verb, resource)
		}
		for _, right := range []string{"create benchmarkruns.kvbench.io", "delete benchmarksuites.kvbench.io", "patch benchmarksuites.kvbench.io",
			"get pods:log", "list events", "create serviceaccounts:token/kvbench-user"} {
			verb, resource, _ := strings.Cut(right, " ")
			Expect(anna(namespace, verb, resource)).To(BeTrue(), right)
			Expect(anna(other, verb, resource)).To(BeFalse(), "%s in another namespace", right)
			Expect(anna(systemNamespace, verb, resource)).To(BeFalse(), "%s in the operator's", right)
		}
		for _, right := range []string{"get pods/kvbench-results-0", "create pods:portforward/kvbench-results-0", "get configmaps/kvbench-results-ca"} {
			verb, resource, _ := strings.Cut(right, " ")
			Expect(anna(systemNamespace, verb, resource)).To(BeTrue(), right)
		}
		for _, right := range []string{"get secrets", "get secrets/kvbench-results-tls", "list pods", "get pods/kvbench-controller-0", "create pods:portforward/other",
			"create serviceaccounts:token/kvbench-reader", "create serviceaccounts:token/kvbench-controller", "get configmaps", "patch benchmarkruns:status.kvbench.io"} {
			verb, resource, _ := strings.Cut(right, " ")
			Expect(anna(systemNamespace, verb, resource)).To(BeFalse(), right)
		}
		Expect(anna(namespace, "create", "serviceaccounts:token/"+deployer)).To(BeFalse())
		Expect(anna(namespace, "patch", "benchmarkruns:status.kvbench.io")).To(BeFalse())
		for _, right := range []string{"get secrets", "create benchmarkruns.kvbench.io", "delete benchmarkruns.kvbench.io", "get pods", "create serviceaccounts:token"} {
			verb, resource, _ := strings.Cut(right, " ")
			Expect(may(ctx, namespace, "kvbench-user", namespace, verb, resource)).To(BeFalse(), "the account: %s", right)
		}
	})

	It("let the results server and the reader do nothing with objects", func(ctx context.Context) {
		Expect(may(ctx, systemNamespace, "kvbench-results", "", "create", "tokenreviews.authentication.k8s.io")).To(BeTrue())
		Expect(may(ctx, systemNamespace, "kvbench-results", "", "create", "subjectaccessreviews.authorization.k8s.io")).To(BeTrue())
		for _, account := range []string{"kvbench-results", "kvbench-reader"} {
			for _, right := range []string{"get secrets", "get pods", "list benchmarkruns.kvbench.io", "create serviceaccounts:token", "get configmaps"} {
				verb, resource, _ := strings.Cut(right, " ")
				Expect(may(ctx, systemNamespace, account, systemNamespace, verb, resource)).To(BeFalse(), "%s: %s", account, right)
			}
		}
	})
})
