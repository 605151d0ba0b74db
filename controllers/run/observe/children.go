package observe

import (
	"context"
	"fmt"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/plan"
)

// readChildren lists everything that carries the run's label.
func (r *Reader) readChildren(ctx context.Context, o *state.Observed) error {
	mine := clients.OfRun(o.Run)
	var (
		jobs     batchv1.JobList
		pods     corev1.PodList
		services corev1.ServiceList
		claims   corev1.PersistentVolumeClaimList
		sets     appsv1.StatefulSetList
		deploys  appsv1.DeploymentList
		maps     corev1.ConfigMapList
	)
	for kind, items := range map[string]client.ObjectList{
		"Job": &jobs, "Pod": &pods, "Service": &services, "PersistentVolumeClaim": &claims,
		"StatefulSet": &sets, "Deployment": &deploys, "ConfigMap": &maps,
	} {
		if err := r.List(ctx, items, mine...); err != nil {
			return fmt.Errorf("listing the run's %s objects: %w", kind, err)
		}
		leave(o, kind, items)
	}
	if err := r.readFaults(ctx, o, mine); err != nil {
		return err
	}
	for i := range jobs.Items {
		if names.MadeFor(o.Run, &jobs.Items[i]) {
			o.Jobs[jobs.Items[i].Name] = stateOfJob(&jobs.Items[i], pods.Items, o.Now)
		}
	}
	o.Store = stateOfStore(pods.Items, claims.Items)
	for i := range deploys.Items {
		if d := &deploys.Items[i]; d.Name == plan.ObserverName(names.RunID(o.Run)) && names.MadeFor(o.Run, d) {
			o.Store.ObserverMade = true
			o.Store.Trouble = message.FirstOf(o.Store.Trouble, refusalOf(d))
			o.Store.Troubles = append(o.Store.Troubles, troubleOfDeployment(d)...)
		}
	}
	o.Workers = countWorkers(pods.Items)
	if err := r.readOwnChart(ctx, o, pods.Items); err != nil {
		return err
	}
	dateTroubles(o)
	sort.Strings(o.Left)
	sort.Strings(o.LeftBesides)
	return nil
}

// dateTroubles counts the time of what keeps pods from running, of a run that isn't over.
func dateTroubles(o *state.Observed) {
	var lists [][]state.PodTrouble
	if !status.Tearing(o.Run) {
		lists = append(lists, o.Store.Troubles)
		for _, job := range o.Jobs {
			lists = append(lists, job.Troubles)
		}
	}
	o.Memory.Date(o.Now, lists...)
}
