package controllers

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
)

// readFiles reads the files that the run names: what an earlier pass kept of them, since they
// may have changed meanwhile, or the ConfigMaps themselves.
func (r *Reconciler) readFiles(ctx context.Context, run *v1alpha1.BenchmarkRun) (files compile.Files, kept bool, err error) {
	named := compile.FilesOf(&run.Spec)
	if len(named) == 0 {
		return nil, false, nil
	}
	held := &corev1.ConfigMap{}
	// Past the cache, which has no contents.
	err = r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: filesName(runID(run))}, held)
	switch {
	case err == nil && madeFor(run, held):
		return held.BinaryData, true, nil
	case err == nil:
		return nil, false, &compile.Refusal{Reason: reasonNameTaken, Message: fmt.Sprintf(
			"the ConfigMap %s exists and isn't this run's: delete it, and create the run again", held.Name)}
	case !apierrors.IsNotFound(err):
		return nil, false, fmt.Errorf("reading the run's files: %w", err)
	}
	files, err = r.gatherFiles(ctx, run, named)
	return files, false, err
}

// gatherFiles reads ConfigMaps of the run's namespace with the rights of its service account.
// What isn't there is left out.
func (r *Reconciler) gatherFiles(ctx context.Context, run *v1alpha1.BenchmarkRun, named []compile.File) (compile.Files, error) {
	if err := r.checkServiceAccount(ctx, run); err != nil {
		return nil, err
	}
	asAccount, err := r.accountOf(run)
	if err != nil {
		return nil, err
	}
	files := compile.Files{}
	for _, file := range named {
		from := &corev1.ConfigMap{}
		err := asAccount.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: file.Name}, from)
		switch {
		case apierrors.IsForbidden(err):
			return nil, &compile.Refusal{Reason: "FileForbidden", Message: fmt.Sprintf(
				"%s: service account %s may not read the ConfigMap %s: give it the right to get it", file.Field, serviceAccount(run), file.Name)}
		case client.IgnoreNotFound(err) != nil:
			return nil, fmt.Errorf("reading the ConfigMap %s as service account %s: %w", file.Name, serviceAccount(run), err)
		}
		content, there := from.BinaryData[file.Key]
		if text, isText := from.Data[file.Key]; isText {
			content, there = []byte(text), true
		}
		if !there {
			continue
		}
		if err := files.Add(file, content); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// keepFiles makes the ConfigMap that the run's pods get the files from. It is made before the
// plan, which has their digests: whoever makes the plan again finds the same files.
func (r *Reconciler) keepFiles(ctx context.Context, run *v1alpha1.BenchmarkRun, files compile.Files) error {
	object := &corev1.ConfigMap{
		ObjectMeta: objectMeta(run, filesName(runID(run)), roleFiles), Immutable: ptr.To(true), BinaryData: files,
	}
	err := r.Create(ctx, object)
	if refused(err) {
		return &compile.Refusal{Reason: "PlanRefused", Message: fmt.Sprintf("the API server refused the ConfigMap %s with the run's files: %v", object.Name, err)}
	}
	if err != nil { // if it exists by now, the next pass reads it
		return fmt.Errorf("keeping the run's files: %w", err)
	}
	return nil
}

// deleteFiles removes what was kept of the run's files.
func (r *Reconciler) deleteFiles(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	if len(compile.FilesOf(&run.Spec)) == 0 {
		return nil
	}
	held := &corev1.ConfigMap{}
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: filesName(runID(run))}, held)
	if err != nil || !madeFor(run, held) {
		return client.IgnoreNotFound(err)
	}
	if err := r.Delete(ctx, held); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the run's files: %w", err)
	}
	return nil
}

// filesLost says that the plan's files are not there any more, or are others. What is in them
// the pods look at: the cache has no contents.
func (r *Reconciler) filesLost(ctx context.Context, o *observed) (bool, error) {
	if o.Plan == nil || len(o.Plan.Files) == 0 {
		return false, nil
	}
	held := &corev1.ConfigMap{}
	err := r.Get(ctx, client.ObjectKey{Namespace: o.Run.Namespace, Name: filesName(o.Plan.Run.ID)}, held)
	if err != nil {
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	return !madeFor(o.Run, held), nil
}

// filesFolder is where a pod has the run's files.
const filesFolder = "/etc/kvbench-files"

// giveFiles mounts the run's files into a Job's pods.
func giveFiles(job *batchv1.Job, p *plan.Plan) {
	if len(p.Files) == 0 {
		return
	}
	pod := &job.Spec.Template.Spec
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: "files", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: filesName(p.Run.ID)}}}})
	container := &pod.Containers[0]
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: "files", MountPath: filesFolder, ReadOnly: true})
	container.Command = append(container.Command, "--files", filesFolder)
}

// withoutFiles keeps the contents of runs' files and charts out of the cache: a hundred runs may wait,
// with a megabyte each.
func withoutFiles(object any) (any, error) {
	if held, ok := object.(*corev1.ConfigMap); ok && (held.Labels[labelRole] == roleFiles || held.Labels[labelRole] == roleChart) {
		held.Data, held.BinaryData = nil, nil
	}
	return cache.TransformStripManagedFields()(object)
}
