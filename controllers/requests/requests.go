// Package requests says what the API server's refusals mean for a pass.
package requests

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Refused says that the API server will not take the object, now or later: it is not
// valid, or a policy or a quota forbids it.
func Refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err)
}

// Again looks once more, shortly, after a conflict: the run was read before a write, our own
// last one mostly, arrived in the cache. It isn't left to the event of that write, which may
// have been there before.
func Again(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: 50 * time.Millisecond}, nil
	}
	return ctrl.Result{}, err
}
