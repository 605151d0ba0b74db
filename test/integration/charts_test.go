package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing/fstest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/charts"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/helm/helmtest"
	"github.com/kvbench/kvbench/internal/plan"
)

func packedChart(folder fs.FS) []byte {
	GinkgoHelper()
	packed, err := helmtest.Pack(folder)
	Expect(err).NotTo(HaveOccurred())
	return packed
}

// catalogChart is the catalog's chart of etcd, as somebody else's.
func catalogChart() []byte {
	GinkgoHelper()
	folder, err := fs.Sub(charts.Stores(), "etcd")
	Expect(err).NotTo(HaveOccurred())
	return packedChart(folder)
}

// clusterChart makes a resource of which an operator makes the members.
func clusterChart() []byte {
	GinkgoHelper()
	return packedChart(fstest.MapFS{
		"Chart.yaml": {Data: []byte("apiVersion: v2\nname: cluster\nversion: 0.1.0\n")},
		"templates/cluster.yaml": {Data: []byte(
			"apiVersion: db.example.com/v1\nkind: Database\nmetadata: {name: {{ .Release.Name }}}\nspec: {size: {{ .Values.size }}}\n")},
	})
}

var database = schema.GroupVersionKind{Group: "db.example.com", Version: "v1", Kind: "Database"}

func installDatabases() {
	GinkgoHelper()
	open := &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: ptr.To(true)}
	definition := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "databases.db.example.com"}}
	definition.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
		Group: database.Group, Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "databases", Singular: "database", Kind: database.Kind, ListKind: "DatabaseList"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: database.Version, Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: open},
			Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
		}},
	}
	_, err := envtest.InstallCRDs(restConfig, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition}})
	Expect(err).NotTo(HaveOccurred())
}

// bring is the right to bring charts, which deployers don't have.
var bring = rbacv1.PolicyRule{APIGroups: []string{"kvbench.io"}, Resources: []string{"benchmarkruns"}, Verbs: []string{"bring-chart"}}

// grant makes an account with the deployer's rights, that to bring charts, and these. It may bring
// none any more after withdraw.
func (s *stage) grant(ctx context.Context, name string, rules ...rbacv1.PolicyRule) (withdraw func(context.Context)) {
	GinkgoHelper()
	rules = append(rules, bring)
	newAccount(ctx, s.namespace, name)
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name}, Rules: rules}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.namespace, Name: name}}
	own := &rbacv1.RoleBinding{ObjectMeta: role.ObjectMeta, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}}
	deployers := own.DeepCopy()
	deployers.Name, deployers.RoleRef.Name = name+"-deployer", "kvbench-deployer"
	for _, object := range []client.Object{role, own, deployers} {
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, object))).To(Succeed()) })
	}
	Eventually(func() bool {
		allowed := may(ctx, s.namespace, name, s.namespace, "create", "statefulsets.apps")
		for _, rule := range rules {
			resource := strings.TrimSuffix(rule.Resources[0]+"."+rule.APIGroups[0], ".")
			allowed = allowed && may(ctx, s.namespace, name, s.namespace, rule.Verbs[0], resource)
		}
		return allowed
	}).Should(BeTrue())
	return func(ctx context.Context) {
		Expect(k8sClient.Delete(ctx, own)).To(Succeed())
		Eventually(func() bool {
			return may(ctx, s.namespace, name, s.namespace, "bring-chart", "benchmarkruns.kvbench.io")
		}).Should(BeFalse())
	}
}

var _ = Describe("A chart that a run brings", Ordered, Label("charts"), func() {
	var s *stage
	BeforeAll(func(ctx context.Context) {
		s = newStage()
		installRights(ctx, s.namespace)
		installDatabases()
		s.account = asAccount(ctx, systemNamespace, "kvbench-controller")
		s.results.measureFor = 100 * time.Millisecond
	})

	// given makes a ConfigMap with a chart.
	given := func(ctx context.Context, packed []byte) *corev1.ConfigMap {
		GinkgoHelper()
		held := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, GenerateName: "charts-"}, BinaryData: map[string][]byte{"mine.tgz": packed},
		}
		Expect(k8sClient.Create(ctx, held)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, held))).To(Succeed()) })
		return held
	}
	// bringing makes a store of the chart in the ConfigMap.
	bringing := func(held *corev1.ConfigMap) func(*v1alpha1.BenchmarkRunSpec) {
		return func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.ServiceAccountName = "bringer"
			spec.Store = v1alpha1.StoreSpec{Name: "mine", Driver: "etcd", Nodes: 3, Chart: &v1alpha1.ChartSpec{
				ConfigMap: &v1alpha1.ConfigMapKeyRef{Name: held.Name, Key: "mine.tgz"}, NodesValue: "nodes",
			}}
		}
	}
	// operated makes a store of a resource that an operator sees to.
	operated := func(held *corev1.ConfigMap, account string) func(*v1alpha1.BenchmarkRunSpec) {
		return func(spec *v1alpha1.BenchmarkRunSpec) {
			bringing(held)(spec)
			spec.ServiceAccountName = account
			spec.Store.Chart.NodesValue = "size"
			spec.Store.Chart.Ready = []v1alpha1.ChartReadySpec{{APIVersion: "db.example.com/v1", Kind: "Database", Condition: "Available"}}
		}
	}
	kill := func(spec *v1alpha1.BenchmarkRunSpec) {
		spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "1s"}}
	}
	said := func(run *v1alpha1.BenchmarkRun, kind string) string {
		return meta.FindStatusCondition(run.Status.Conditions, kind).Message
	}
	refusal := func(run *v1alpha1.BenchmarkRun, reason string) string {
		GinkgoHelper()
		s.reach(run, v1alpha1.ConditionAccepted, reason)
		s.nothingLeft(run)
		return said(run, v1alpha1.ConditionAccepted)
	}
	id := func(run *v1alpha1.BenchmarkRun) string { return compile.RunID(run.Name, string(run.UID)) }
	planOf := func(run *v1alpha1.BenchmarkRun) *plan.Plan {
		GinkgoHelper()
		kept := &plan.Plan{}
		Expect(json.Unmarshal(s.results.planOf(string(run.UID)), kept)).To(Succeed())
		return kept
	}
	databases := rbacv1.PolicyRule{APIGroups: []string{"db.example.com"}, Resources: []string{"databases"}, Verbs: []string{"create", "delete", "get", "list", "patch", "update", "watch"}}
	faults := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"fault"}}

	databaseOf := func(ctx context.Context, run *v1alpha1.BenchmarkRun) *unstructured.Unstructured {
		GinkgoHelper()
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(database)
		Eventually(func() error {
			return k8sClient.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: id(run)}, object)
		}, time.Minute, 20*time.Millisecond).Should(Succeed())
		return object
	}
	// operate makes the members of a Database, as its operator does, and says so in its status.
	operate := func(ctx context.Context, run *v1alpha1.BenchmarkRun, available string) {
		GinkgoHelper()
		object := databaseOf(ctx, run)
		for i := range 3 {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: fmt.Sprintf("%s-%d", id(run), i)}}
			pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: database.GroupVersion().String(), Kind: database.Kind, Name: object.GetName(), UID: object.GetUID(), Controller: ptr.To(true)}}
			pod.Spec.Containers = []corev1.Container{{Name: "etcd", Image: "i"}}
			Expect(client.IgnoreAlreadyExists(k8sClient.Create(ctx, pod))).To(Succeed())
			s.sim.runs(ctx, pod)
		}
		Expect(unstructured.SetNestedSlice(object.Object, []any{map[string]any{
			"type": "Available", "status": available, "reason": "QuorumIsThere", "message": "3 of 3", "observedGeneration": object.GetGeneration(),
		}}, "status", "conditions")).To(Succeed())
		Expect(k8sClient.Status().Update(ctx, object)).To(Succeed())
	}
	// retire removes the members when the Database is gone, as its operator and the garbage collector do.
	retire := func(ctx context.Context, run *v1alpha1.BenchmarkRun) {
		GinkgoHelper()
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(database)
		Eventually(func() bool {
			return apierrors.IsNotFound(k8sClient.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: id(run)}, object))
		}, time.Minute, 20*time.Millisecond).Should(BeTrue())
		for i := range 3 {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: fmt.Sprintf("%s-%d", id(run), i)}}
			Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, pod, client.GracePeriodSeconds(0)))).To(Succeed())
		}
	}

	BeforeAll(func(ctx context.Context) { s.grant(ctx, "bringer") })

	It("is installed for who may bring charts, and for nobody else", func(ctx context.Context) {
		held := given(ctx, catalogChart())
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { bringing(held)(spec); spec.ServiceAccountName = "" })
		Expect(refusal(run, "ChartForbidden")).To(ContainSubstring("service account kvbench-deployer, with whose rights the chart would be installed, hasn't the verb bring-chart on benchmarkruns"))

		// All verbs are given for other reasons: those who gave them don't know this one.
		s.grant(ctx, "owner", rbacv1.PolicyRule{APIGroups: bring.APIGroups, Resources: bring.Resources, Verbs: []string{"*"}})
		run = s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { bringing(held)(spec); spec.ServiceAccountName = "owner" })
		Expect(refusal(run, "ChartForbidden")).To(ContainSubstring(`service account owner, with whose rights the chart would be installed, has all verbs on benchmarkruns ("*"), which isn't taken for bring-chart`))

		withdraw := s.grant(ctx, "former-bringer")
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		ahead := s.newRun(nil)
		s.reach(ahead, v1alpha1.ConditionStoreReady, "Steady")
		run = s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			bringing(held)(spec)
			spec.ServiceAccountName = "former-bringer"
		})
		s.reach(run, v1alpha1.ConditionAccepted, "Queued")
		withdraw(ctx)
		s.sim.holdJobs.remove("worker")
		s.reach(run, v1alpha1.ConditionFailed, "ChartForbidden")
		s.nothingLeft(run)
	})

	It("is deployed from its ConfigMap, measured with a member killed, and removed", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		packed := catalogChart()
		held := given(ctx, packed)
		s.sim.awaitFault.Store(true)
		DeferCleanup(func() { s.sim.awaitFault.Store(false) })
		s.sim.holdJobs.add("load")
		DeferCleanup(func() { s.sim.holdJobs.remove("load") })
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { bringing(held)(spec); kill(spec) })
		s.reach(run, v1alpha1.ConditionStoreReady, "Steady")

		kept := &corev1.ConfigMap{}
		Expect(k8sClient.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: id(run) + "-chart"}, kept)).To(Succeed())
		Expect(kept.BinaryData["chart.tgz"]).To(Equal(packed))
		p := planOf(run)
		Expect(*p.Store.OwnChart).To(Equal(plan.OwnChart{
			Source: "ConfigMap " + held.Name + ", mine.tgz", Name: "etcd", Version: p.Store.OwnChart.Version, SHA256: digestOf(packed), Bytes: len(packed),
		}))
		Expect(p.Store.OwnChart.Version).NotTo(BeEmpty())
		pods := &corev1.PodList{}
		Expect(k8sClient.List(ctx, pods, client.InNamespace(s.namespace), client.MatchingLabels{"kvbench.io/run-uid": string(run.UID), "kvbench.io/role": "store"})).To(Succeed())
		Expect(pods.Items).To(HaveLen(3))
		s.sim.holdJobs.remove("load")
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		s.nothingLeft(run)
		Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(held), held)).To(Succeed(), "what isn't the run's stays")
	})

	It("is what it was when the run was admitted, though its ConfigMap is gone", func(ctx context.Context) {
		held := given(ctx, catalogChart())
		first := given(ctx, catalogChart())
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		DeferCleanup(s.start(s.results, nil))
		ahead := s.newRun(bringing(first))
		s.reach(ahead, v1alpha1.ConditionStoreReady, "Steady")
		run := s.newRun(bringing(held))
		s.reach(run, v1alpha1.ConditionAccepted, "Queued")
		Expect(k8sClient.Delete(ctx, held)).To(Succeed())
		planned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: id(run) + "-plan"}}
		Expect(k8sClient.Delete(ctx, planned)).To(Succeed())
		Eventually(func() error { // the plan is made anew, of the same copy
			return k8sClient.Get(ctx, client.ObjectKeyFromObject(planned), planned)
		}, time.Minute, 20*time.Millisecond).Should(Succeed())
		s.sim.holdJobs.remove("worker")
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		s.nothingLeft(run)
	})

	It("is its source's, whatever lies in its copy's place before there is a plan", func(ctx context.Context) {
		run := s.newRun(bringing(given(ctx, catalogChart()))) // its UID is in the copy's name
		forged := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: id(run) + "-chart"}}
		forged.Labels = map[string]string{"kvbench.io/run-uid": string(run.UID), "kvbench.io/role": "chart"}
		forged.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))}
		forged.BinaryData = map[string][]byte{"chart.tgz": clusterChart()}
		Expect(k8sClient.Create(ctx, forged)).To(Succeed())
		DeferCleanup(s.start(s.results, nil))
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(planOf(run).Store.OwnChart.SHA256).To(Equal(digestOf(catalogChart())))
		s.nothingLeft(run)
	})

	DescribeTable("is not deployed from a copy that was replaced", func(ctx context.Context, withPlan bool) {
		held := given(ctx, catalogChart())
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		DeferCleanup(s.start(s.results, nil))
		ahead := s.newRun(bringing(held))
		s.reach(ahead, v1alpha1.ConditionStoreReady, "Steady")
		run := s.newRun(bringing(held))
		s.reach(run, v1alpha1.ConditionAccepted, "Queued")
		kept := &corev1.ConfigMap{}
		Expect(k8sClient.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: id(run) + "-chart"}, kept)).To(Succeed())
		Expect(k8sClient.Delete(ctx, kept)).To(Succeed())
		forged := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: kept.Namespace, Name: kept.Name, Labels: kept.Labels, OwnerReferences: kept.OwnerReferences}}
		forged.BinaryData = map[string][]byte{"chart.tgz": clusterChart()}
		Expect(k8sClient.Create(ctx, forged)).To(Succeed())
		if withPlan {
			planned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: id(run) + "-plan"}}
			Expect(k8sClient.Delete(ctx, planned)).To(Succeed())
			s.reach(run, v1alpha1.ConditionFailed, "ChartLost")
		}
		s.sim.holdJobs.remove("worker")
		s.reach(run, v1alpha1.ConditionFailed, "ChartLost")
		s.nothingLeft(run)
	},
		Entry("while its plan is there", false),
		Entry("with its plan deleted", true),
	)

	DescribeTable("is refused with what is wrong:",
		func(ctx context.Context, packed func() []byte, change func(*v1alpha1.BenchmarkRunSpec), reason, message string) {
			DeferCleanup(s.start(s.results, nil))
			held := given(ctx, packed())
			run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
				bringing(held)(spec)
				if change != nil {
					change(spec)
				}
			})
			Expect(refusal(run, reason)).To(And(ContainSubstring("spec.store.chart"), ContainSubstring(message)))
		},
		Entry("no such key", catalogChart, func(spec *v1alpha1.BenchmarkRunSpec) { spec.Store.Chart.ConfigMap.Key = "other.tgz" }, "FileMissing", `no key "other.tgz"`),
		Entry("no chart", func() []byte { return []byte("hello") }, nil, "InvalidChart", "no packed chart"),
		Entry("a zip bomb", func() []byte {
			return packedChart(fstest.MapFS{"Chart.yaml": {Data: []byte("apiVersion: v2\nname: x\nversion: 1.0.0\n")}, "zeros": {Data: make([]byte, 9<<20)}})
		}, nil, "InvalidChart", "unpacked it has more than"),
		Entry("one that doesn't render", func() []byte {
			return packedChart(fstest.MapFS{"Chart.yaml": {Data: []byte("apiVersion: v2\nname: x\nversion: 1.0.0\n")}, "templates/a.yaml": {Data: []byte(`{{ fail "set a size" }}`)}})
		}, nil, "InvalidChart", "set a size"),
		Entry("one that makes what is of no namespace", func() []byte {
			return packedChart(fstest.MapFS{"Chart.yaml": {Data: []byte("apiVersion: v2\nname: x\nversion: 1.0.0\n")}, "templates/a.yaml": {Data: []byte(
				"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: mine}\n")}})
		}, nil, "InvalidChart", "it makes ClusterRole mine, which is of no namespace"),
		Entry("a registry that nobody allowed", catalogChart, func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Store.Chart.ConfigMap, spec.Store.Chart.OCI = nil, &v1alpha1.OCIChartSpec{URL: "oci://registry.example.com/charts/mine", Version: "1.2.3"}
		}, "SourceForbidden", "oci://registry.example.com/charts/mine is not among the addresses"),
		Entry("a repository that nobody allowed", catalogChart, func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Store.Chart.ConfigMap, spec.Store.Chart.Repository = nil, &v1alpha1.RepositoryChartSpec{URL: "http://169.254.169.254/latest", Name: "mine", Version: "1.2.3"}
		}, "SourceForbidden", "http://169.254.169.254/latest/index.yaml is not among the addresses"),
		Entry("a kind that the cluster hasn't", clusterChart, func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Store.Chart.Ready = []v1alpha1.ChartReadySpec{{APIVersion: "db.example.com/v1", Kind: "Table", Condition: "Available"}}
		}, "KindMissing", "spec.store.chart.ready[0]: the cluster has no kind Table"),
		Entry("a kind of no namespace", clusterChart, func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Store.Chart.Ready = []v1alpha1.ChartReadySpec{{APIVersion: "v1", Kind: "Node", Condition: "Ready"}}
		}, "KindMissing", "Node is of no namespace"),
		Entry("a resource that the account may not read", clusterChart, func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Store.Chart.Ready = []v1alpha1.ChartReadySpec{{APIVersion: "db.example.com/v1", Kind: "Database", Condition: "Available"}}
		}, "ReadyForbidden", "service account bringer may not get databases"),
		Entry("faults that the account may not make", clusterChart, func(spec *v1alpha1.BenchmarkRunSpec) {
			kill(spec)
			spec.Store.AllowFaults = true
		}, "FaultsForbidden", "hasn't the verb fault"),
	)

	It("is fetched from where it is allowed", func(ctx context.Context) {
		packed := catalogChart()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/charts/index.yaml" {
				fmt.Fprintf(w, "apiVersion: v1\nentries: {mine: [{version: 1.2.3, urls: [mine.tgz], digest: %s}]}\n", digestOf(packed))
				return
			}
			_, _ = w.Write(packed)
		}))
		DeferCleanup(server.Close)
		s.chartSources = []string{server.URL + "/charts"}
		DeferCleanup(func() { s.chartSources = nil })
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			bringing(&corev1.ConfigMap{})(spec)
			spec.Store.Chart.ConfigMap, spec.Store.Chart.Repository = nil, &v1alpha1.RepositoryChartSpec{URL: server.URL + "/charts", Name: "mine", Version: "1.2.3"}
		})
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(planOf(run).Store.OwnChart.SHA256).To(Equal(digestOf(packed)))
		s.nothingLeft(run)
	})

	It("waits until its resource says that it is ready, and until all of it is gone", func(ctx context.Context) {
		s.grant(ctx, "operated", databases)
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(operated(given(ctx, clusterChart()), "operated"))
		operate(ctx, run, "False")
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
			ready := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionStoreReady)
			g.Expect(ready).NotTo(BeNil())
			g.Expect(ready.Message).To(ContainSubstring(`its condition Available is "False" (QuorumIsThere): 3 of 3`))
		}, time.Minute, 50*time.Millisecond).Should(Succeed())
		operate(ctx, run, "True")
		s.reach(run, v1alpha1.ConditionCleanedUp, "TearingDown")
		Consistently(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionCleanedUp)).To(BeFalse(), "its pods are still there")
		}, 3*time.Second, 100*time.Millisecond).Should(Succeed())
		retire(ctx, run)
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		s.nothingLeft(run)
	})

	It("says at the deadline what its resource said", func(ctx context.Context) {
		s.grant(ctx, "late", databases)
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			operated(given(ctx, clusterChart()), "late")(spec)
			spec.Timeouts.Deploy = "8s"
		})
		operate(ctx, run, "False")
		go func() {
			defer GinkgoRecover()
			retire(context.Background(), run.DeepCopy())
		}()
		s.reach(run, v1alpha1.ConditionFailed, "DeployTimedOut")
		Expect(said(run, v1alpha1.ConditionFailed)).To(And(ContainSubstring("3 of 3 members were ready after 8s"), ContainSubstring("QuorumIsThere")))
		s.nothingLeft(run)
	})

	It("has faults on an operator's pods only where they are allowed", func(ctx context.Context) {
		s.grant(ctx, "faulty", databases, faults)
		s.sim.awaitFault.Store(true)
		DeferCleanup(func() { s.sim.awaitFault.Store(false) })
		DeferCleanup(s.start(s.results, nil))
		held := given(ctx, clusterChart())
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { operated(held, "faulty")(spec); kill(spec) })
		operate(ctx, run, "True")
		retire(ctx, run)
		s.reach(run, v1alpha1.ConditionFailed, "FaultsForbidden")
		Expect(said(run, v1alpha1.ConditionFailed)).To(And(ContainSubstring(id(run)+"-0"), ContainSubstring("set spec.store.allowFaults to true")))
		s.nothingLeft(run)

		run = s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			operated(held, "faulty")(spec)
			kill(spec)
			spec.Store.AllowFaults = true
		})
		operate(ctx, run, "True")
		retire(ctx, run)
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		injected := s.sim.injectedFor(run.UID)
		Expect(injected).To(HaveLen(1))
		Expect(injected[0].Namespace).To(Equal(s.namespace))
		Expect(injected[0].Spec.Selector.Pods[s.namespace]).To(ConsistOf(MatchRegexp(`^` + id(run) + `-[012]$`)))
		s.nothingLeft(run)
	})
})
