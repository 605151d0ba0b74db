//go:build e2e

package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/charts"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/helm/helmtest"
	"github.com/kvbench/kvbench/internal/results/forward"
)

// somebodysChart is the catalog's chart of etcd with other names for itself, its members and its
// values.
func somebodysChart() []byte {
	GinkgoHelper()
	rename := strings.NewReplacer(
		"name: etcd\n", "name: somebodys\n", "{{ .Release.Name }}", "{{ .Release.Name }}-kv",
		"$name := .Release.Name", `$name := printf "%s-kv" .Release.Name`,
		".Values.nodes", ".Values.cluster.size", "\nnodes: 3\n", "\ncluster: {size: 1}\n",
	)
	folder, err := fs.Sub(charts.Stores(), "etcd")
	Expect(err).NotTo(HaveOccurred())
	renamed := fstest.MapFS{}
	Expect(fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(folder, path)
		renamed[path] = &fstest.MapFile{Data: []byte(rename.Replace(string(content)))}
		return err
	})).To(Succeed())
	packed, err := helmtest.Pack(renamed)
	Expect(err).NotTo(HaveOccurred())
	return packed
}

// bringer is a service account whose runs may bring charts, until the spec is over.
func bringer(ctx context.Context) string {
	GinkgoHelper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: "e2e-bringer"}
	deployers := metav1.ObjectMeta{Namespace: namespace, Name: "e2e-bringer-deployer"}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: meta.Name}}
	for _, object := range []client.Object{
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{"kvbench.io"}, Resources: []string{"benchmarkruns"}, Verbs: []string{"bring-chart"}}}},
		&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name}, Subjects: subjects},
		&rbacv1.RoleBinding{ObjectMeta: deployers, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "kvbench-deployer"}, Subjects: subjects},
	} {
		Expect(client.IgnoreAlreadyExists(k8s.Create(ctx, object))).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(k8s.Delete(ctx, object))).To(Succeed()) })
	}
	return meta.Name
}

var _ = Describe("A chart of somebody's own", Label("charts"), func() {
	It("is deployed from a ConfigMap, measured with its leader killed, and removed", func(ctx SpecContext) {
		packed := somebodysChart()
		held := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "e2e-charts-" + rand.String(5)},
			BinaryData: map[string][]byte{"somebodys.tgz": packed},
		}
		Expect(k8s.Create(ctx, held)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(k8s.Delete(ctx, held))).To(Succeed()) })
		run := newRun("charts", openLoop, killLeader, func(r *v1alpha1.BenchmarkRun) {
			r.Spec.ServiceAccountName = bringer(ctx)
			r.Spec.Store = v1alpha1.StoreSpec{Name: "somebodys", Driver: "etcd", Nodes: 3, Container: "somebodys", Chart: &v1alpha1.ChartSpec{
				ConfigMap:  &v1alpha1.ConfigMapKeyRef{Name: held.Name, Key: "somebodys.tgz"},
				NodesValue: "cluster.size",
				Members:    &v1alpha1.ChartMembersSpec{Pod: "{release}-kv-{index}", Service: "{release}-kv", Port: ptr.To[int32](2379)},
				Ready:      []v1alpha1.ChartReadySpec{{APIVersion: "policy/v1", Kind: "PodDisruptionBudget", Name: "{release}-kv", Condition: "DisruptionAllowed"}},
			}}
		})
		found := measure(ctx, run)
		id := compile.RunID(run.Name, string(run.UID))
		Expect(found.Store.Members).To(Equal([]string{id + "-kv-0", id + "-kv-1", id + "-kv-2"}))
		sum := sha256.Sum256(packed)
		Expect(found.Store.OwnChart).NotTo(BeNil())
		Expect(found.Store.OwnChart.Name).To(Equal("somebodys"))
		Expect(found.Store.OwnChart.SHA256).To(Equal(hex.EncodeToString(sum[:])))
		Expect(found.Store.Persistent).To(BeNil(), "nobody knows")
		Expect(found.Faults).To(HaveLen(1))
		Expect(found.Faults[0].LeaderBefore).To(Equal(found.Faults[0].Target))
		Expect(found.Faults[0].OutageMicros).NotTo(BeNil())
		Expect(found.Faults[0].OutageCensored).To(BeFalse())
		Expect(found.Faults[0].HealedAt).NotTo(BeNil())
		expectSchema(download(ctx, openResults(ctx), run, forward.Report))
		remove(ctx, run)
		expectNothingLeft(ctx, run)
		Expect(k8s.Get(ctx, client.ObjectKeyFromObject(held), held)).To(Succeed(), "what isn't the run's stays")
	}, SpecTimeout(measureTimeout))

	It("that eats memory is refused, and the controller goes on", func(ctx SpecContext) {
		packed, err := helmtest.Pack(fstest.MapFS{
			"Chart.yaml":       {Data: []byte("apiVersion: v2\nname: eater\nversion: 1.0.0\n")},
			"templates/a.yaml": {Data: []byte("{{ range until 2000000000 }}{{ end }}")},
		})
		Expect(err).NotTo(HaveOccurred())
		held := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "e2e-charts-" + rand.String(5)},
			BinaryData: map[string][]byte{"eater.tgz": packed},
		}
		Expect(k8s.Create(ctx, held)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(k8s.Delete(ctx, held))).To(Succeed()) })
		run := newRun("eater", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.ServiceAccountName = bringer(ctx)
			r.Spec.Store = v1alpha1.StoreSpec{Name: "eater", Driver: "etcd", Nodes: 3, Chart: &v1alpha1.ChartSpec{
				ConfigMap: &v1alpha1.ConfigMapKeyRef{Name: held.Name, Key: "eater.tgz"},
			}}
		})
		apply(ctx, run)
		awaitEnd(ctx, run, endTimeout)
		failed := expectCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue)
		Expect(failed.Reason).To(Equal("InvalidChart"))
		Expect(failed.Message).To(ContainSubstring("more than 256 MiB of memory"))
		expectNothingLeft(ctx, run)
	}, SpecTimeout(endTimeout))
})
