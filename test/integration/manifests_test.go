package integration

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/suite"
)

// samples are the files of config/samples that hold a BenchmarkRun.
func samples() []string {
	found, err := filepath.Glob(fromRoot("config", "samples", "*.yaml"))
	if err != nil {
		panic(err)
	}
	var names []string
	for _, file := range found {
		if name := filepath.Base(file); name != "kustomization.yaml" {
			names = append(names, name)
		}
	}
	return names
}

// expectAllAdmitted expects a plan for each combination of a suite.
func expectAllAdmitted(ctx context.Context, of *v1alpha1.BenchmarkSuite) {
	GinkgoHelper()
	combinations, problems := suite.Expand(&of.Spec)
	Expect(problems).To(BeEmpty(), of.Name)
	for i := range combinations {
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: "sample", UID: "u"}, Spec: combinations[i].Spec}
		_, err := compile.Compile(run, nil)
		Expect(err).NotTo(HaveOccurred(), "%s: %s", of.Name, combinations[i].Name())
		run.UID = ""
		Expect(k8sClient.Create(ctx, run, client.DryRunAll)).To(Succeed(), "%s: %s", of.Name, combinations[i].Name())
	}
}

var _ = Describe("The manifests in config/", Label("api"), func() {
	It("have samples of suites that can be run", func(ctx context.Context) {
		found, err := filepath.Glob(fromRoot("config", "samples", "suites", "*.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(found).NotTo(BeEmpty())
		for _, file := range found {
			content, err := os.ReadFile(file)
			Expect(err).NotTo(HaveOccurred())
			of := &v1alpha1.BenchmarkSuite{}
			Expect(yaml.UnmarshalStrict(content, of)).To(Succeed(), file)
			Expect(k8sClient.Create(ctx, of, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))).To(Succeed(), file)
			expectAllAdmitted(ctx, of)
		}
	})
	It("have suites of each size for kustomize", func(ctx context.Context) {
		found, err := filepath.Glob(fromRoot("config", "samples", "suites", "*", "base", "suite.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(found).NotTo(BeEmpty())
		for _, file := range found {
			for _, size := range []string{"base", "tiny", "paper"} {
				folder := filepath.Join(filepath.Dir(file), "..", size)
				of := &v1alpha1.BenchmarkSuite{}
				Expect(yaml.UnmarshalStrict([]byte(kubectl(ctx, "kustomize", folder)), of)).To(Succeed(), folder)
				Expect(of.Name).To(Equal(filepath.Base(filepath.Dir(filepath.Dir(file)))))
				Expect(k8sClient.Create(ctx, of, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))).To(Succeed(), folder)
				expectAllAdmitted(ctx, of)
			}
		}
	})
	for _, name := range samples() {
		It("have a sample that can be run: "+name, func(ctx context.Context) {
			content, err := os.ReadFile(fromRoot("config", "samples", name))
			Expect(err).NotTo(HaveOccurred())
			run, maps := &v1alpha1.BenchmarkRun{}, map[string]*corev1.ConfigMap{}
			for _, document := range strings.Split(string(content), "\n---\n") {
				kind := metav1.TypeMeta{}
				Expect(yaml.Unmarshal([]byte(document), &kind)).To(Succeed())
				if kind.Kind == "ConfigMap" {
					held := &corev1.ConfigMap{}
					Expect(yaml.UnmarshalStrict([]byte(document), held)).To(Succeed())
					maps[held.Name] = held
					continue
				}
				Expect(yaml.UnmarshalStrict([]byte(document), run)).To(Succeed())
			}
			Expect(k8sClient.Create(ctx, run, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))).To(Succeed())
			files := compile.Files{}
			for _, file := range compile.FilesOf(&run.Spec) {
				Expect(maps).To(HaveKey(file.Name))
				Expect(maps[file.Name].Namespace).To(Equal(run.Namespace))
				Expect(maps[file.Name].Data).To(HaveKey(file.Key))
				Expect(files.Add(file, []byte(maps[file.Name].Data[file.Key]))).To(Succeed())
			}
			_, err = compile.Compile(run, files)
			Expect(err).NotTo(HaveOccurred())
		})
	}

	DescribeTable("have charts that make what their samples wait for",
		func(ctx context.Context, sample, chart, want string) {
			content, err := os.ReadFile(fromRoot("config", "samples", sample))
			Expect(err).NotTo(HaveOccurred())
			run := &v1alpha1.BenchmarkRun{}
			Expect(yaml.UnmarshalStrict(content, run)).To(Succeed())
			run.UID = "1"
			compiled, err := compile.Compile(run, nil)
			Expect(err).NotTo(HaveOccurred())
			rendered, err := helm.RenderOwn(helm.OwnChart{
				Archive: packedChart(os.DirFS(fromRoot("config", "samples", "charts", chart))),
				Values:  compiled.Store.Values, Release: compiled.Run.ID, Namespace: run.Namespace,
			})
			Expect(err).NotTo(HaveOccurred())
			objects := documents(rendered.Manifest)
			Expect(objects).To(HaveLen(1))
			wanted := compiled.Store.OwnChart.Ready[0]
			Expect([]string{objects[0].GetAPIVersion(), objects[0].GetKind(), objects[0].GetName()}).To(Equal([]string{wanted.APIVersion, wanted.Kind, wanted.Name}))
			spec, err := yaml.Marshal(objects[0].Object["spec"])
			Expect(err).NotTo(HaveOccurred())
			Expect(string(spec)).To(MatchYAML(want))
		},
		Entry(nil, "chart-etcdcluster.yaml", "etcdcluster", "{size: 3, version: v3.5.21}"),
		Entry(nil, "chart-hazelcast.yaml", "hazelcast",
			"{clusterSize: 3, clusterName: dev, repository: docker.io/hazelcast/hazelcast, version: 5.4.0, resources: {requests: {cpu: 100m, memory: 512Mi}}}"),
	)

	It("list every sample for kustomize", func() {
		content, err := os.ReadFile(fromRoot("config", "samples", "kustomization.yaml"))
		Expect(err).NotTo(HaveOccurred())
		var kustomization struct{ Resources []string }
		Expect(yaml.Unmarshal(content, &kustomization)).To(Succeed())
		Expect(samples()).NotTo(BeEmpty())
		Expect(kustomization.Resources).To(ConsistOf(samples()))
	})

	It("let charts come from where the operator's chart says", func() {
		sources := []any{"oci://registry.example.com/charts", "https://charts.example.com"}
		deployments := chartObjects(map[string]any{"chartSources": sources}, "Deployment")
		Expect(deployments).To(HaveLen(1))
		controller := &appsv1.Deployment{}
		Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(deployments[0].Object, controller)).To(Succeed())
		Expect(controller.Spec.Template.Spec.Containers[0].Args).To(ContainElements("--chart-source=oci://registry.example.com/charts", "--chart-source=https://charts.example.com"))
	})

	It("install kvbench without Helm", func(ctx context.Context) {
		applied := kubectl(ctx, "apply", "--kustomize", fromRoot("config", "default"), "--server-side", "--force-conflicts", "--dry-run=server")
		for _, object := range []string{
			"namespace/kvbench-system",
			"customresourcedefinition.apiextensions.k8s.io/benchmarkruns.kvbench.io",
			"customresourcedefinition.apiextensions.k8s.io/benchmarksuites.kvbench.io",
			"deployment.apps/kvbench-controller",
			"statefulset.apps/kvbench-results",
			"clusterrole.rbac.authorization.k8s.io/kvbench-controller",
		} {
			Expect(applied).To(ContainSubstring(object + " serverside-applied"))
		}
		Expect(strings.ToLower(applied)).NotTo(ContainSubstring("warning"))
	})
})
