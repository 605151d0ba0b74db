// Package kube connects the verbs of kubectl kvbench to a cluster and to its results server, with the rights of the current
// kubeconfig.
package kube

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
)

// Flags are those of kubectl, and the namespace that kvbench is installed in.
type Flags struct {
	config *genericclioptions.ConfigFlags
	system string
	// Progress is where connections tell what they wait for.
	Progress io.Writer
}

// NewFlags have kubectl's defaults.
func NewFlags() *Flags {
	return &Flags{Progress: io.Discard, config: genericclioptions.NewConfigFlags(true).WithDiscoveryBurst(200).WithDiscoveryQPS(100), system: forward.Namespace}
}

// shown are those of kubectl's flags that help lists. The others work too.
var shown = []string{"as", "context", "kubeconfig", "namespace"}

// Add adds the flags to a command's.
func (f *Flags) Add(flags *pflag.FlagSet) {
	f.config.AddFlags(flags)
	flags.VisitAll(func(flag *pflag.Flag) { flag.Hidden = !slices.Contains(shown, flag.Name) })
	flags.StringVar(&f.system, "system-namespace", f.system, "namespace that kvbench is installed in")
}

// Cluster is a connection with the rights of a kubeconfig.
type Cluster struct {
	client.WithWatch
	Config    *rest.Config
	Clients   kubernetes.Interface
	Namespace string // of the user
	System    string // of kvbench
	progress  io.Writer
}

// Connect reads the kubeconfig. It asks the cluster nothing yet.
func (f *Flags) Connect() (*Cluster, error) {
	loader := f.config.ToRawKubeConfigLoader()
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	if err := f.findsCluster(loader); err != nil {
		return nil, err
	}
	config, err := f.config.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w\nname one with --kubeconfig or KUBECONFIG", err)
	}
	cluster, err := Connect(config, namespace, f.system)
	if err != nil {
		return nil, err
	}
	cluster.progress = f.Progress
	return cluster, nil
}

// Connect is for a configuration that is there already.
func Connect(config *rest.Config, namespace, system string) (*Cluster, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 100, 200
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("using the kubeconfig: %w", err)
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, Explain(err)
	}
	return &Cluster{WithWatch: c, Config: config, Clients: clients, Namespace: namespace, System: system, progress: io.Discard}, nil
}
