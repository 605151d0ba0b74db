// Package callers says who calls the results server, and what callers may do. It asks through interfaces, so it needs
// nothing of Kubernetes.
package callers

import "context"

// Identity is who a token belongs to. The pod is known for the tokens that the kubelet
// puts into pods, and empty otherwise.
type Identity struct {
	Username string
	Groups   []string
	PodName  string
	PodUID   string
}

// Reviewer says whose token it is. valid is false for a token that is nobody's, of
// another audience, or expired; err means that it couldn't be found out.
type Reviewer interface {
	Review(ctx context.Context, token string) (who Identity, valid bool, err error)
}
