package kube

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Delete deletes the object that was read, and not another one that somebody has made of its name since.
func Delete(ctx context.Context, c client.Client, object client.Object) error {
	uid := object.GetUID()
	err := c.Delete(ctx, object, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if apierrors.IsConflict(err) {
		return fmt.Errorf("%s is another one now than when it was read, and is not deleted: look at it again", object.GetName())
	}
	return Explain(client.IgnoreNotFound(err))
}

// away is for how long an API server may fail to answer while something is being deleted.
const away = time.Minute

// DeleteAndWait deletes the object that was read, and returns when all of it is gone.
func DeleteAndWait(ctx context.Context, c client.Client, object client.Object) error {
	deleted := object.GetUID()
	if err := Delete(ctx, c, object); err != nil {
		return err
	}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	answered := time.Now()
	for {
		err := c.Get(ctx, client.ObjectKeyFromObject(object), object)
		switch {
		case apierrors.IsNotFound(err), err == nil && object.GetUID() != deleted: // somebody has made another of that name
			return nil
		case err == nil:
			answered = time.Now()
		case ctx.Err() != nil:
			return ctx.Err()
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err), time.Since(answered) > away:
			return Explain(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
