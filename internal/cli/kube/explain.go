package kube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
)

// Explain says of an error of the API server's what to do about it. Errors that it knows nothing of stay as they are.
func Explain(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case meta.IsNoMatchError(err), discovery.IsGroupDiscoveryFailedError(err):
		return fmt.Errorf("kvbench isn't installed in this cluster: it has no kind of kvbench.io; see docs/guide/install.md: %w", err)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the cluster doesn't know you: the kubeconfig's credentials are no longer valid: %w", err)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("%w\nan administrator can bind you to the role kvbench-user of the namespace: see users in the values of kvbench's chart", err)
	}
	return explainNetwork(err)
}

// explainNetwork says what to do where the cluster gives no answer. Other errors stay as they are.
func explainNetwork(err error) error {
	var network *net.OpError
	var address *url.Error
	if !errors.Is(err, context.Canceled) && (errors.As(err, &network) || errors.As(err, &address)) {
		return fmt.Errorf("the cluster can't be reached: %w\nsee that the kubeconfig and its context are the right ones: kubectl config current-context", err)
	}
	return err
}
