package admission

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/configmaps"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/compile"
)

// readFiles reads the files that the run names: what an earlier pass kept of them, since they
// may have changed meanwhile, or the ConfigMaps themselves.
func (r *Checker) readFiles(ctx context.Context, run *v1alpha1.BenchmarkRun) (files compile.Files, kept bool, err error) {
	named := compile.FilesOf(&run.Spec)
	if len(named) == 0 {
		return nil, false, nil
	}
	held := &corev1.ConfigMap{}
	// Past the cache, which has no contents.
	err = r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: names.FilesName(names.RunID(run))}, held)
	switch {
	case err == nil && names.MadeFor(run, held):
		return held.BinaryData, true, nil
	case err == nil:
		return nil, false, &compile.Refusal{Reason: status.ReasonNameTaken, Message: fmt.Sprintf(
			"the ConfigMap %s exists and isn't this run's: delete it, and create the run again", held.Name)}
	case !apierrors.IsNotFound(err):
		return nil, false, fmt.Errorf("reading the run's files: %w", err)
	}
	files, err = r.gatherFiles(ctx, run, named)
	return files, false, err
}

// gatherFiles reads ConfigMaps of the run's namespace with the rights of its service account.
// What isn't there is left out.
func (r *Checker) gatherFiles(ctx context.Context, run *v1alpha1.BenchmarkRun, named []compile.File) (compile.Files, error) {
	if err := r.checkServiceAccount(ctx, run); err != nil {
		return nil, err
	}
	account, err := r.accountOf(run)
	if err != nil {
		return nil, err
	}
	return account.Files(ctx, named)
}

// accountOf is the service account of the run.
func (r *Checker) accountOf(run *v1alpha1.BenchmarkRun) (*configmaps.Account, error) {
	reader, err := r.AccountOf(run)
	return &configmaps.Account{Namespace: run.Namespace, Name: names.ServiceAccount(run), Reader: reader}, err
}

// keepFiles makes the ConfigMap that the run's pods get the files from. It is made before the
// plan, which has their digests: whoever makes the plan again finds the same files.
func (r *Checker) keepFiles(ctx context.Context, run *v1alpha1.BenchmarkRun, files compile.Files) error {
	object := &corev1.ConfigMap{
		ObjectMeta: names.ObjectMeta(run, names.FilesName(names.RunID(run)), names.RoleFiles), Immutable: ptr.To(true), BinaryData: files,
	}
	err := r.Create(ctx, object)
	if requests.Refused(err) {
		return &compile.Refusal{Reason: "PlanRefused", Message: fmt.Sprintf("the API server refused the ConfigMap %s with the run's files: %v", object.Name, err)}
	}
	if err != nil { // if it exists by now, the next pass reads it
		return fmt.Errorf("keeping the run's files: %w", err)
	}
	return nil
}

// DeleteFiles removes what was kept of the run's files.
func (r *Checker) DeleteFiles(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	if len(compile.FilesOf(&run.Spec)) == 0 {
		return nil
	}
	held := &corev1.ConfigMap{}
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: names.FilesName(names.RunID(run))}, held)
	if err != nil || !names.MadeFor(run, held) {
		return client.IgnoreNotFound(err)
	}
	if err := r.Delete(ctx, held); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the run's files: %w", err)
	}
	return nil
}
