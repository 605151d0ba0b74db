package main

import (
	"context"
	"errors"
	"fmt"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// currentTarget is whatever the current kubeconfig names. It must have Chaos Mesh, whose
// values depend on the nodes' container runtime.
type currentTarget struct{ reference string }

func (t *currentTarget) Up(context.Context) ([]byte, error) {
	raw, err := clientcmd.NewDefaultClientConfigLoadingRules().Load()
	if err != nil {
		return nil, fmt.Errorf("reading the current kubeconfig: %w", err)
	}
	if raw.CurrentContext == "" {
		return nil, errors.New("the kubeconfig has no current context: see kubectl config get-contexts, or set KUBECONFIG")
	}
	if err := clientcmdapi.MinifyConfig(raw); err != nil {
		return nil, err
	}
	// The copy lies elsewhere: paths of certificates become their content.
	if err := clientcmdapi.FlattenConfig(raw); err != nil {
		return nil, err
	}
	return clientcmd.Write(*raw)
}

func (t *currentTarget) Deliver(context.Context) (image, error) {
	if t.reference == "" {
		return image{}, errors.New("the cluster's nodes can't see images built here: push one (make docker-build IMAGE=REPOSITORY:TAG, then docker push), and name it with IMAGE=REPOSITORY:TAG")
	}
	return parseImage(t.reference)
}

func (t *currentTarget) Values() map[string]any { return nil }

func (t *currentTarget) Down(context.Context) error {
	return errors.New("CLUSTER=current isn't a cluster that was made here: remove kvbench from it with helm uninstall kvbench --namespace kvbench-system")
}

func (t *currentTarget) ChaosMesh(ctx context.Context, config *rest.Config) (*release, error) {
	clients, err := apiextensions.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	_, err = clients.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, "podchaos.chaos-mesh.org", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, errors.New("Chaos Mesh isn't installed in this cluster: install it with the values for its container runtime, see https://chaos-mesh.org/docs/production-installation-using-helm") //nolint:staticcheck // a name
	}
	return nil, err
}
