package kube

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
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

// DeleteAndWait deletes the object that was read, and returns when all of it is gone. A suite is gone before its runs are: these
// clean up behind them.
func DeleteAndWait(ctx context.Context, c client.Client, object client.Object) error {
	deleted := object.GetUID()
	if err := Delete(ctx, c, object); err != nil {
		return err
	}
	gone := func() (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(object), object)
		if apierrors.IsNotFound(err) || err == nil && object.GetUID() != deleted { // somebody has made another of that name
			return true, nil
		}
		return false, err
	}
	namespace := object.GetNamespace()
	if err := waitUntil(ctx, gone); err != nil {
		return err
	}
	if _, is := object.(*v1alpha1.BenchmarkSuite); !is {
		return nil
	}
	return waitUntil(ctx, func() (bool, error) {
		var runs v1alpha1.BenchmarkRunList
		err := c.List(ctx, &runs, client.InNamespace(namespace))
		owned := slices.ContainsFunc(runs.Items, func(run v1alpha1.BenchmarkRun) bool {
			owner := metav1.GetControllerOf(&run)
			return owner != nil && owner.UID == deleted
		})
		return err == nil && !owned, err
	})
}

// waitUntil asks twice a second. An API server may fail to answer for a while; one that forbids the question won't.
func waitUntil(ctx context.Context, over func() (bool, error)) error {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	answered := time.Now()
	for {
		is, err := over()
		switch {
		case is:
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
