package integration

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
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

var _ = Describe("The manifests in config/", Label("api"), func() {
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

	It("list every sample for kustomize", func() {
		content, err := os.ReadFile(fromRoot("config", "samples", "kustomization.yaml"))
		Expect(err).NotTo(HaveOccurred())
		var kustomization struct{ Resources []string }
		Expect(yaml.Unmarshal(content, &kustomization)).To(Succeed())
		Expect(samples()).NotTo(BeEmpty())
		Expect(kustomization.Resources).To(ConsistOf(samples()))
	})

	It("install kvbench without Helm", func(ctx context.Context) {
		applied := kubectl(ctx, "apply", "--kustomize", fromRoot("config", "default"), "--server-side", "--force-conflicts", "--dry-run=server")
		for _, object := range []string{
			"namespace/kvbench-system",
			"customresourcedefinition.apiextensions.k8s.io/benchmarkruns.kvbench.io",
			"deployment.apps/kvbench-controller",
			"statefulset.apps/kvbench-results",
			"clusterrole.rbac.authorization.k8s.io/kvbench-controller",
		} {
			Expect(applied).To(ContainSubstring(object + " serverside-applied"))
		}
		Expect(strings.ToLower(applied)).NotTo(ContainSubstring("warning"))
	})
})
