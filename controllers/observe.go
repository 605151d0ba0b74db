package controllers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/monotonic"
	"github.com/kvbench/kvbench/internal/plan"
)

// observe reads what decide needs. It changes nothing: the memory of what was seen before comes back
// in the result, with what is seen now.
func (r *Reconciler) observe(ctx context.Context, run *v1alpha1.BenchmarkRun, memory Memory) (*observed, error) {
	o := &observed{Run: run, Memory: memory.clone(), Now: monotonic.Now(), Began: monotonic.Began(), Jobs: map[string]jobState{}, Faults: map[string]faults.State{}}
	if finished(run) {
		return o, nil
	}
	if !run.DeletionTimestamp.IsZero() {
		o.Memory.DeletedSince = firstTime(memory.DeletedSince, o.Now)
	}
	var err error
	if err = r.readPlan(ctx, o); err != nil {
		return nil, err
	}
	if o.FilesLost, err = r.filesLost(ctx, o); err != nil {
		return nil, err
	}
	if o.NamespaceGoing, err = r.namespaceGoing(ctx, run.Namespace); err != nil {
		return nil, err
	}
	if o.Slot, err = r.readSlot(ctx, run); err != nil {
		return nil, err
	}
	if !isTrue(run, v1alpha1.ConditionAccepted) && run.DeletionTimestamp.IsZero() && !isTrue(run, conditionFailing) {
		return o, nil // nothing is deployed before it is our turn
	}
	if measured(run) && !isTrue(run, v1alpha1.ConditionReported) && run.DeletionTimestamp.IsZero() {
		// Without it the run waits, in decide.
		o.ServerNow, _, _ = r.time.now(r.Results)
		o.ClockMoved = r.time.stepped()
	}
	if err := r.readChildren(ctx, o); err != nil {
		return nil, err
	}
	return o, r.readRelease(ctx, o)
}

// finished says that nothing is to be done any more: ended, with nothing left that was stuck
// when its teardown ran out of time, and not being deleted.
func finished(run *v1alpha1.BenchmarkRun) bool {
	return run.DeletionTimestamp.IsZero() && ended(run) &&
		!meta.IsStatusConditionFalse(run.Status.Conditions, v1alpha1.ConditionCleanedUp)
}

// readPlan reads the plan that was kept. What isn't that any more, because somebody changed
// or replaced it, is no plan: its ConfigMap lies where the run's author may write.
func (r *Reconciler) readPlan(ctx context.Context, o *observed) error {
	held := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: o.Run.Namespace, Name: planName(runID(o.Run))}
	if err := r.Get(ctx, key, held); err != nil {
		return client.IgnoreNotFound(err)
	}
	if held.Labels[labelUID] != string(o.Run.UID) || !madeFor(o.Run, held) {
		return nil
	}
	o.PlanExists, o.PlanUID, o.PlanText = true, held.UID, held.Data[plan.FileName]
	o.Plan, o.PlanTrouble = parsePlan(o.Run, o.PlanText)
	return nil
}

// parsePlan returns nil, and why, for what isn't the plan that was kept for this run.
func parsePlan(run *v1alpha1.BenchmarkRun, text string) (*plan.Plan, string) {
	if kept := run.Status.PlanSHA256; kept != "" && kept != digest([]byte(text)) {
		return nil, "it is not the plan that the run was admitted with"
	}
	parsed := &plan.Plan{}
	if err := json.Unmarshal([]byte(text), parsed); err != nil {
		return nil, "it can't be read: " + err.Error()
	}
	if parsed.Format != plan.Format || parsed.Run.UID != string(run.UID) {
		return nil, fmt.Sprintf("it has format %d and is of the run %s; this kvbench reads format %d", parsed.Format, parsed.Run.UID, plan.Format)
	}
	return parsed, ""
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func (r *Reconciler) namespaceGoing(ctx context.Context, name string) (bool, error) {
	namespace := &corev1.Namespace{}
	if err := r.Get(ctx, client.ObjectKey{Name: name}, namespace); err != nil {
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	return !namespace.DeletionTimestamp.IsZero(), nil
}

// labelledFor selects what carries the run's label.
func labelledFor(run *v1alpha1.BenchmarkRun) []client.ListOption {
	return []client.ListOption{client.InNamespace(run.Namespace), client.MatchingLabels{labelUID: string(run.UID)}}
}

// readChildren lists everything that carries the run's label.
func (r *Reconciler) readChildren(ctx context.Context, o *observed) error {
	mine := labelledFor(o.Run)
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
		o.leave(kind, items)
	}
	kills, err := r.readFaults(ctx, o, mine)
	if err != nil {
		return err
	}
	o.leave("PodChaos", kills)
	for i := range jobs.Items {
		if madeFor(o.Run, &jobs.Items[i]) {
			o.Jobs[jobs.Items[i].Name] = stateOfJob(&jobs.Items[i], pods.Items, o.Now)
		}
	}
	o.Store = stateOfStore(pods.Items, claims.Items)
	for i := range deploys.Items {
		if d := &deploys.Items[i]; d.Name == plan.ObserverName(runID(o.Run)) && madeFor(o.Run, d) {
			o.Store.ObserverMade = true
			o.Store.Trouble = firstOf(o.Store.Trouble, refusalOf(d))
			o.Store.Troubles = append(o.Store.Troubles, troubleOfDeployment(d)...)
		}
	}
	o.Workers = countWorkers(pods.Items)
	if err := r.readOwnChart(ctx, o, pods.Items); err != nil {
		return err
	}
	o.dateTroubles()
	sort.Strings(o.Left)
	sort.Strings(o.LeftBesides)
	return nil
}

// dateTroubles counts the time of what keeps pods from running, of a run that isn't over.
func (o *observed) dateTroubles() {
	var lists [][]podTrouble
	if !tearing(o.Run) {
		lists = append(lists, o.Store.Troubles)
		for _, job := range o.Jobs {
			lists = append(lists, job.Troubles)
		}
	}
	o.Memory.date(o.Now, lists...)
}

// readFaults reads the run's fault objects; where Chaos Mesh isn't installed there are none.
func (r *Reconciler) readFaults(ctx context.Context, o *observed, mine []client.ListOption) (*chaos.PodChaosList, error) {
	kills := &chaos.PodChaosList{}
	if len(o.Run.Spec.Faults) == 0 {
		return kills, nil
	}
	if err := r.List(ctx, kills, mine...); err != nil {
		if meta.IsNoMatchError(err) {
			return kills, nil
		}
		return nil, fmt.Errorf("listing the run's faults: %w", err)
	}
	for name, state := range faultStates(o.Run, kills) {
		if state.Deleting {
			state.DeletingSince = o.Memory.deleting(name, state.UID, o.Now)
		}
		state.RefusedSince = o.Memory.fault(name, state.UID).RefusedSince
		o.Faults[name] = state
	}
	return kills, nil
}

// faultStates are those of the run's faults that have an object, by the faults' names.
func faultStates(run *v1alpha1.BenchmarkRun, kills *chaos.PodChaosList) map[string]faults.State {
	states := map[string]faults.State{}
	for i := range kills.Items {
		if !madeFor(run, &kills.Items[i]) {
			continue
		}
		for _, fault := range run.Spec.Faults {
			if kills.Items[i].Name == faultName(runID(run), fault.Name) {
				states[fault.Name] = chaosmesh.StateOf(&kills.Items[i])
			}
		}
	}
	return states
}

// madeFor says that the controller made the object for this run. Anybody who may write in
// the namespace can put the run's labels on an object of his own: it is neither believed
// nor removed.
func madeFor(run *v1alpha1.BenchmarkRun, object client.Object) bool {
	return metav1.IsControlledBy(object, run)
}

// byController are the kinds that the controller makes itself. The others are made by Helm,
// or by what is behind these, and are known by their labels.
var byController = map[string]bool{"Job": true, "Deployment": true, "ConfigMap": true, "PodChaos": true}

// leave notes the objects of a list as left, apart from the plan, which goes last.
func (o *observed) leave(kind string, items client.ObjectList) {
	_ = meta.EachListItem(items, func(item runtimeObject) error {
		object := item.(client.Object)
		if byController[kind] && object.GetLabels()[labelRole] != roleStore && !madeFor(o.Run, object) {
			return nil
		}
		name := kind + " " + object.GetName()
		switch object.GetLabels()[labelRole] {
		case rolePlan:
			return nil
		case roleStore:
			o.StoreLeft++
		case roleObserver:
		default:
			o.LeftBesides = append(o.LeftBesides, name)
		}
		o.Left = append(o.Left, name)
		return nil
	})
}

// nothingLeft says that everything was seen to be gone. A store that is retained is not.
func nothingLeft(run *v1alpha1.BenchmarkRun) bool {
	cleaned := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionCleanedUp)
	return cleaned != nil && cleaned.Status == metav1.ConditionTrue && cleaned.Reason != reasonRetained
}

// tearing says that the run is over, but for what it made.
func tearing(run *v1alpha1.BenchmarkRun) bool {
	return !run.DeletionTimestamp.IsZero() || isTrue(run, conditionFailing) || isTrue(run, v1alpha1.ConditionReported)
}

// readRelease asks Helm only where the answer decides something: it reads Secrets.
func (r *Reconciler) readRelease(ctx context.Context, o *observed) error {
	deploying := o.Plan != nil && !isTrue(o.Run, v1alpha1.ConditionStoreReady)
	if o.NamespaceGoing || !deploying && !tearing(o.Run) || nothingLeft(o.Run) && !o.PlanExists {
		return nil
	}
	if onEndpoints(o.Run) {
		o.Store.Release = releaseAbsent
		return nil
	}
	releases, _, err := r.Releases(o.Run.Namespace, serviceAccount(o.Run))
	if err != nil {
		return err
	}
	state, err := releases.State(ctx, runID(o.Run))
	if helm.IsForbidden(err) {
		o.Store.Release, o.Store.Refusal = releaseForbidden, err.Error()
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the Helm release %s as service account %s: %w", runID(o.Run), serviceAccount(o.Run), err)
	}
	o.Store.Release = stateOfRelease(state)
	return nil
}
