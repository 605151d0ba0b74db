package kube

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// DeleteAndWait deletes an object, and returns when all of it is gone.
func DeleteAndWait(ctx context.Context, c client.Client, object client.Object) error {
	if err := c.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		return Explain(client.IgnoreNotFound(err))
	}
	deleted := object.GetUID()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := c.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return Explain(client.IgnoreNotFound(err))
		}
		if object.GetUID() != deleted {
			return nil // somebody has made another of that name
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
