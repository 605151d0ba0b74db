package controllers

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// seeWhole asks the observer whether the store is whole, and notes what is waited for.
func (r *Reconciler) seeWhole(ctx context.Context, o *observed, d decision) {
	if !r.mayLook(o, wholeLook) {
		return
	}
	line, err := r.sample(ctx, o)
	switch {
	case err != nil:
		d.Message += because("the observer gave no look at the members: " + stable(err))
	case !line.Steady:
		d.Message += because(unsteady(o.Run, line))
	default:
		d.Reason, d.Message = reasonWhole, "the observer sees all members well"
		setWorkload(o.Run, d, metav1.ConditionTrue)
		return
	}
	setWorkload(o.Run, d, metav1.ConditionUnknown)
}

// mayLook says whether the observer may be asked again. Each change of the status brings another
// pass at once, and what it says may differ each time.
func (r *Reconciler) mayLook(o *observed, every time.Duration) bool {
	if last := o.Memory.SampledAt; !last.IsZero() && o.Now.Sub(last) < every {
		return false
	}
	o.Memory.SampledAt = o.Now
	return true
}
