package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	chart "helm.sh/helm/v4/pkg/chart/v2"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// recorded is where install leaves the kubeconfig of its cluster, for run.
const recorded = "_output/kubeconfig"

const fieldOwner = client.FieldOwner("kvbench-demo")

// cluster is a connection with the rights of a kubeconfig.
type cluster struct {
	client.Client
	config     *rest.Config
	kubeconfig string
}

func connect(kubeconfig string) (*cluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig %s: %w", kubeconfig, err)
	}
	config.QPS, config.Burst = 100, 200
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("reaching the cluster of %s: %w", kubeconfig, err)
	}
	return &cluster{Client: c, config: config, kubeconfig: kubeconfig}, nil
}

// record keeps the kubeconfig, readable by its owner alone.
func record(kubeconfig []byte) error {
	if err := os.MkdirAll(filepath.Dir(recorded), 0o755); err != nil {
		return err
	}
	return os.WriteFile(recorded, kubeconfig, 0o600)
}

// getter is Helm's way to the cluster.
func (k *cluster) getter(namespace string) genericclioptions.RESTClientGetter {
	flags := genericclioptions.NewConfigFlags(true)
	flags.KubeConfig, flags.Namespace = &k.kubeconfig, &namespace
	return flags.WithDiscoveryBurst(200).WithDiscoveryQPS(100)
}

func (k *cluster) ensureNamespace(ctx context.Context, name, level string) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"pod-security.kubernetes.io/enforce": level},
	}}
	if err := k.Create(ctx, ns); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the namespace %s: %w", name, err)
	}
	return nil
}

// applyCRDs applies a chart's CRDs and waits until the API server serves them.
func (k *cluster) applyCRDs(ctx context.Context, crds []chart.CRD) error {
	var names []string
	for _, crd := range crds {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(crd.File.Data, &object.Object); err != nil {
			return fmt.Errorf("reading the CRD %s: %w", crd.Filename, err)
		}
		if err := k.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), fieldOwner, client.ForceOwnership); err != nil {
			return fmt.Errorf("applying the CRD %s: %w", crd.Filename, err)
		}
		names = append(names, object.GetName())
	}
	for _, name := range names {
		if err := k.awaitCRD(ctx, name); err != nil {
			return fmt.Errorf("waiting until the API server serves %s: %w", name, err)
		}
	}
	return nil
}

func (k *cluster) awaitCRD(ctx context.Context, name string) error {
	var unread error // by an API server that is busy, perhaps
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if unread = k.Get(ctx, client.ObjectKey{Name: name}, crd); unread != nil {
			return false, nil
		}
		for _, c := range crd.Status.Conditions {
			if c.Type == apiextensionsv1.Established {
				return c.Status == apiextensionsv1.ConditionTrue, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return errors.Join(err, unread)
	}
	return nil
}

// tempFile writes a file for another program.
func tempFile(pattern, content string) (name string, remove func(), err error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return "", nil, err
	}
	_, err = f.WriteString(content)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return f.Name(), func() { os.Remove(f.Name()) }, err
}
