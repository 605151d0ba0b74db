package kube

import (
	"fmt"
	"os"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// findsCluster says why no cluster is known. The library goes on with localhost:8080 then.
func (f *Flags) findsCluster(loader clientcmd.ClientConfig) error {
	raw, err := loader.RawConfig()
	if err != nil {
		return fmt.Errorf("reading the kubeconfig: %w", err)
	}
	if len(raw.Clusters) > 0 || *f.config.APIServer != "" {
		return nil
	}
	if _, err := rest.InClusterConfig(); err == nil {
		return nil // in a pod its service account will do
	}
	const hint = "\nname one with --kubeconfig or KUBECONFIG"
	files := loader.ConfigAccess().GetLoadingPrecedence()
	for _, file := range files {
		if _, err := os.Stat(file); err == nil {
			return fmt.Errorf("the kubeconfig %s has no cluster%s", file, hint)
		}
	}
	return fmt.Errorf("there is no kubeconfig: %s doesn't exist%s", strings.Join(files, ", "), hint)
}
