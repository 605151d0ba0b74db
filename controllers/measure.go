package controllers

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// startIn is how far ahead the start is posted: every worker must hear of it at least
// 500 ms before, or the measurement is lost.
const startIn = 3 * time.Second

func (r *Reconciler) createJob(ctx context.Context, o *observed, d decision) error {
	w, ok := o.Plan.FindWorkload(d.Workload)
	if !ok {
		return fmt.Errorf("the plan has no workload %s: this is a bug", d.Workload)
	}
	ensureWorkload(o.Run, d.Workload)
	job := r.jobObject(o.Run, o.Plan, w, d.Role)
	if err := r.Create(ctx, job); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the Job %s: %w", job.Name, err)
	}
	return nil
}

// start posts the start time. The server keeps the first one, so that a repeated post
// changes nothing.
func (r *Reconciler) start(ctx context.Context, o *observed, workload string) error {
	started, err := r.Results.StartIn(ctx, string(o.Run.UID), workload, startIn)
	if err != nil {
		return fmt.Errorf("posting the start of workload %s: %w", workload, err)
	}
	ensureWorkload(o.Run, workload).StartedAtUnixNanos = started.StartUnixNanos
	return nil
}

func (r *Reconciler) progress(o *observed, workload string) error {
	w, _ := o.Plan.FindWorkload(workload)
	begin := time.Unix(0, findWorkload(o.Run, workload).StartedAtUnixNanos).Add(time.Duration(w.Load.WarmupMillis) * time.Millisecond)
	elapsed := o.Now.Sub(begin)
	progress := &v1alpha1.Progress{Workload: workload, ElapsedSeconds: int64(elapsed / progressEvery * progressEvery / time.Second)}
	if duration := time.Duration(w.DurationMillis) * time.Millisecond; duration > 0 && elapsed > 0 {
		progress.Percent = int32(min(100, 100*time.Duration(progress.ElapsedSeconds)*time.Second/duration))
	}
	o.Run.Status.Progress = progress
	return nil
}
