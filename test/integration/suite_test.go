// Package integration tests the API and the controller against a real kube-apiserver
// and etcd. There is no kubelet: what needs running pods is in test/e2e.
package integration

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

const systemNamespace = "kvbench-system"

// What all specs share: one API server with the CRDs of config/crd.
var (
	restConfig *rest.Config
	k8sClient  client.Client
	scheme     = runtime.NewScheme()
	kubeconfig string // file for kubectl
)

func TestIntegration(t *testing.T) {
	RegisterFailHandler(Fail)
	// What is waited for may wait for a core, beside the stores' clusters.
	SetDefaultEventuallyTimeout(time.Minute)
	RunSpecs(t, "Integration")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	Expect(os.Getenv("KUBEBUILDER_ASSETS")).NotTo(BeEmpty(),
		"KUBEBUILDER_ASSETS names the folder of kube-apiserver, etcd and kubectl; `make test-integration` sets it")
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(v1alpha1.AddToScheme(scheme)).To(Succeed())

	environment := &envtest.Environment{
		Scheme:                scheme,
		CRDDirectoryPaths:     []string{fromRoot("config", "crd")},
		ErrorIfCRDPathMissing: true,
		// It ends watches first, of which the long tests leave many.
		ControlPlaneStopTimeout: time.Minute,
	}
	var err error
	restConfig, err = environment.Start()
	if err != nil { // with processes that run, if a CRD was refused
		err = errors.Join(err, environment.Stop())
	}
	Expect(err).NotTo(HaveOccurred())
	endWithUs()
	DeferCleanup(environment.Stop)

	k8sClient, err = client.New(restConfig, client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())

	// As an installation has it.
	Expect(k8sClient.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: systemNamespace}})).To(Succeed())

	kubeconfig = filepath.Join(GinkgoT().TempDir(), "kubeconfig")
	Expect(os.WriteFile(kubeconfig, environment.KubeConfig, 0o600)).To(Succeed())
})

// fromRoot is a path below the repository's root.
func fromRoot(elements ...string) string {
	return filepath.Join(append([]string{"..", ".."}, elements...)...)
}
