// Package requests says what the API server's refusals mean for a pass, and when a pass that failed is made again.
package requests

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Refused says that the API server takes the object neither now nor later: it is not valid, or a
// policy or a quota forbids it.
func Refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err)
}

// Again has a pass look once more, shortly, after a conflict. The object was read before a write of it,
// mostly our own last one, arrived in the cache. The event of that write may have been there before, so
// nothing waits for it.
func Again(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: 50 * time.Millisecond}, nil
	}
	return ctrl.Result{}, err
}

// Backoff grows to seconds, not to the usual quarter of an hour: deadlines are looked at
// when a pass comes, whatever made the last one fail.
func Backoff() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](20*time.Millisecond, 10*time.Second)
}
