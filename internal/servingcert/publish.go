package servingcert

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// AuthorityName is the ConfigMap that Publish writes.
const AuthorityName = "kvbench-results-ca"

// Publish writes the authority's certificate, in PEM, into a ConfigMap of the namespace under CAKey. Users read it there: the Secret
// has the keys beside it.
func Publish(ctx context.Context, c client.Client, direct client.Reader, namespace string, authority []byte) error {
	held := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: namespace, Name: AuthorityName}
	err := direct.Get(ctx, key, held)
	switch {
	case apierrors.IsNotFound(err):
		held.ObjectMeta = metav1.ObjectMeta{Namespace: namespace, Name: AuthorityName, Labels: map[string]string{"app.kubernetes.io/name": "kvbench"}}
		held.Data = map[string]string{CAKey: string(authority)}
		err = c.Create(ctx, held)
	case err == nil && held.Data[CAKey] != string(authority):
		held.Data = map[string]string{CAKey: string(authority)}
		err = c.Update(ctx, held)
	}
	if err != nil {
		return fmt.Errorf("keeping the authority in ConfigMap %s: %w", key, err)
	}
	return nil
}
