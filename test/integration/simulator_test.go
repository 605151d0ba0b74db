package integration

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// simulator stands for what a cluster does around the API server: it makes the pods of
// workloads and removes them again, completes Jobs, and injects faults. It looks at
// everything every few hundredths of a second, and is as idempotent as the real thing.
type simulator struct {
	client.Client
	// seen is what watches told, which may be behind: a look there costs the API server nothing.
	seen client.Reader
	// failJobs names roles whose Jobs fail.
	failJobs roles
	// evictJobs names roles whose first pod is evicted, and whose Jobs fail for it.
	evictJobs roles
	// holdJobs names roles whose Jobs go on until they are deleted.
	holdJobs roles
	// keepUnready names roles whose pods never get ready.
	keepUnready roles
	// stuck are the pods of roles that don't run, and what is said of them.
	stuck stuckPods
	// started says whether a measurement of the run was given its start.
	started func(runUID, workload string) bool
	// awaitFault keeps a measurement going until a fault of its run was injected, however
	// long a controller that is killed takes for it.
	awaitFault atomic.Bool
	// holdCuts keeps partitions that are being deleted, as a Chaos Mesh does whose daemons are dead.
	holdCuts atomic.Bool
	// place gives a pod its address, and its node's; without it pods have one that leads nowhere.
	place func(*corev1.Pod) (address, node string)
	mu    sync.Mutex
	// made holds the UIDs of each run's Jobs: by the run's UID, and the Job's name.
	made map[string]map[string]map[string]bool
	// injected holds each run's faults as they were injected: by the run's UID, and their own.
	// The objects themselves may be gone before a spec looks.
	injected map[string]map[types.UID]client.Object
}

func (s *simulator) run(ctx context.Context) {
	ticker := time.NewTicker(40 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.workloads(ctx)
			s.jobs(ctx)
			s.faults(ctx)
			s.collectGarbage(ctx, s.seen)
		}
	}
}

// workloads gives each StatefulSet and Deployment its ready pods.
func (s *simulator) workloads(ctx context.Context) {
	sets := &appsv1.StatefulSetList{}
	_ = s.seen.List(ctx, sets)
	for i := range sets.Items {
		set := &sets.Items[i]
		for index := range int(*set.Spec.Replicas) {
			s.pod(ctx, set, fmt.Sprintf("%s-%d", set.Name, index), set.Spec.Template)
		}
	}
	deployments := &appsv1.DeploymentList{}
	_ = s.seen.List(ctx, deployments)
	for i := range deployments.Items {
		deployment := &deployments.Items[i]
		s.pod(ctx, deployment, deployment.Name+"-0", deployment.Spec.Template)
	}
}

func (s *simulator) jobs(ctx context.Context) {
	jobs := &batchv1.JobList{}
	_ = s.seen.List(ctx, jobs)
	for i := range jobs.Items {
		job := &jobs.Items[i]
		role := job.Labels["kvbench.io/role"]
		s.note(job)
		if len(job.Status.Conditions) > 0 || !job.DeletionTimestamp.IsZero() {
			continue
		}
		template := *job.Spec.Template.DeepCopy()
		template.Labels[batchv1.JobNameLabel] = job.Name
		for index := range int(*job.Spec.Completions) {
			s.pod(ctx, job, fmt.Sprintf("%s-%d-x", job.Name, index), template)
		}
		uid := job.Labels["kvbench.io/run-uid"]
		_, workload, _ := strings.Cut(job.Name, "-measure-")
		measuring := role == "worker" && (!s.started(uid, workload) || s.awaitFault.Load() && len(injectedAs[client.Object](s, types.UID(uid))) == 0)
		switch {
		case timeIsOver(job):
			s.timeOut(ctx, job)
		case s.stuck.of(role) != nil:
		case s.failJobs.has(role) && !measuring:
			s.end(ctx, job, batchv1.JobFailed)
		case s.evictJobs.has(role) && !measuring:
			s.evict(ctx, job)
		case !measuring && !s.holdJobs.has(role):
			s.end(ctx, job, batchv1.JobComplete)
		}
	}
}

// roles are a set that a spec changes while the simulator looks.
type roles struct{ names sync.Map }

func (r *roles) add(role string)    { r.names.Store(role, true) }
func (r *roles) remove(role string) { r.names.Delete(role) }

func (r *roles) has(role string) bool {
	_, there := r.names.Load(role)
	return there
}

// countsAfter is how long the Job controller takes to count a pod that failed: it collects
// changes for a second.
const countsAfter = time.Second

// evict does what a kubelet does that is short of memory, and then the Job controller.
func (s *simulator) evict(ctx context.Context, job *batchv1.Job) {
	pod := &corev1.Pod{}
	if s.seen.Get(ctx, client.ObjectKey{Namespace: job.Namespace, Name: job.Name + "-0-x"}, pod) != nil {
		return
	}
	if pod.Status.Phase == corev1.PodFailed {
		if since := pod.Status.Conditions[0].LastTransitionTime.Time; time.Since(since) > time.Second+countsAfter { // it is kept in whole seconds
			s.end(ctx, job, batchv1.JobFailed)
		}
		return
	}
	pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodFailed, "Evicted", "The node was low on resource: memory."
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "TerminationByKubelet",
		Message: pod.Status.Message, LastTransitionTime: metav1.Now(),
	}}
	_ = s.Status().Update(ctx, pod)
}

func (s *simulator) note(job *batchv1.Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	run := job.Labels["kvbench.io/run-uid"]
	if s.made[run] == nil {
		s.made[run] = map[string]map[string]bool{}
	}
	if s.made[run][job.Name] == nil {
		s.made[run][job.Name] = map[string]bool{}
	}
	s.made[run][job.Name][string(job.UID)] = true
}

// madeFor counts how often each Job of a run was made.
func (s *simulator) madeFor(run client.Object) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := map[string]int{}
	for name, uids := range s.made[string(run.GetUID())] {
		counts[name] = len(uids)
	}
	return counts
}

// end writes the status that the Job controller writes at the end.
func (s *simulator) end(ctx context.Context, job *batchv1.Job, kind batchv1.JobConditionType) {
	s.endFor(ctx, job, kind, "Simulated")
}

func (s *simulator) endFor(ctx context.Context, job *batchv1.Job, kind batchv1.JobConditionType, reason string) {
	now := metav1.Now()
	before := batchv1.JobSuccessCriteriaMet
	job.Status.StartTime = &now
	if kind == batchv1.JobFailed {
		before = batchv1.JobFailureTarget
		job.Status.Failed = 1
	} else {
		job.Status.CompletionTime = &now
		job.Status.Succeeded = *job.Spec.Completions
		job.Status.CompletedIndexes = fmt.Sprintf("0-%d", *job.Spec.Completions-1)
		if *job.Spec.Completions == 1 {
			job.Status.CompletedIndexes = "0"
		}
	}
	for _, condition := range []batchv1.JobConditionType{before, kind} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: condition, Status: corev1.ConditionTrue, Reason: reason, Message: "the simulator ended it", LastTransitionTime: now,
		})
	}
	_ = s.Status().Update(ctx, job)
}

func (s *simulator) pod(ctx context.Context, owner client.Object, name string, template corev1.PodTemplateSpec) {
	pod := &corev1.Pod{}
	key := client.ObjectKey{Namespace: owner.GetNamespace(), Name: name}
	err := s.seen.Get(ctx, key, pod)
	if apierrors.IsNotFound(err) {
		pod.ObjectMeta = metav1.ObjectMeta{Namespace: key.Namespace, Name: name, Labels: template.Labels, Annotations: map[string]string{"of": kindOf(owner) + "/" + owner.GetName()}}
		for _, c := range template.Spec.Containers {
			pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: c.Name, Image: c.Image, Ports: c.Ports})
		}
		err = s.Create(ctx, pod)
	}
	if said := s.stuck.of(pod.Labels["kvbench.io/role"]); err == nil && said != nil {
		s.sticks(ctx, pod, *said)
	} else if err == nil && pod.Status.Phase != corev1.PodRunning && pod.Status.Phase != corev1.PodFailed {
		s.runs(ctx, pod)
	}
}

// runs writes the status of a pod that runs.
func (s *simulator) runs(ctx context.Context, pod *corev1.Pod) {
	address := "192.0.2.1"
	if s.place != nil {
		var node string
		address, node = s.place(pod)
		pod.Status.HostIP, pod.Status.HostIPs = node, []corev1.HostIP{{IP: node}}
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.PodIP, pod.Status.PodIPs = address, []corev1.PodIP{{IP: address}}
	ready := corev1.ConditionTrue
	if s.keepUnready.has(pod.Labels["kvbench.io/role"]) {
		ready = corev1.ConditionFalse
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}
	_ = s.Status().Update(ctx, pod)
}

// faults asks the API server itself: a watch takes long to find a definition that was away.
func (s *simulator) faults(ctx context.Context) {
	kills, cuts := &chaos.PodChaosList{}, &chaos.NetworkChaosList{}
	_ = s.List(ctx, kills)
	_ = s.List(ctx, cuts)
	for i := range kills.Items {
		s.inject(ctx, &kills.Items[i], &kills.Items[i].Status.ChaosStatus)
	}
	for i := range cuts.Items {
		if !s.cut(ctx, &cuts.Items[i]) {
			continue
		}
		s.inject(ctx, &cuts.Items[i], &cuts.Items[i].Status.ChaosStatus)
	}
}

func (s *simulator) inject(ctx context.Context, fault client.Object, status *chaos.ChaosStatus) {
	if len(status.Conditions) == 0 {
		status.Conditions = []chaos.ChaosCondition{
			{Type: chaos.ConditionSelected, Status: corev1.ConditionTrue},
			{Type: chaos.ConditionAllInjected, Status: corev1.ConditionTrue},
		}
		if s.Update(ctx, fault) != nil {
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	run := fault.GetLabels()["kvbench.io/run-uid"]
	if s.injected[run] == nil {
		s.injected[run] = map[types.UID]client.Object{}
	}
	s.injected[run][fault.GetUID()] = fault.DeepCopyObject().(client.Object)
}

// injectedFor are the kills that were injected for a run.
func (s *simulator) injectedFor(runUID types.UID) []*chaos.PodChaos {
	return injectedAs[*chaos.PodChaos](s, runUID)
}

// injectedAs are the faults of a type that were injected for a run.
func injectedAs[T client.Object](s *simulator, runUID types.UID) (all []T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fault := range s.injected[string(runUID)] {
		if typed, is := fault.(T); is {
			all = append(all, typed)
		}
	}
	return all
}

// collectGarbage deletes pods whose owner has gone.
func (s *simulator) collectGarbage(ctx context.Context, seen client.Reader) {
	owners := map[string]bool{}
	for kind, list := range map[string]client.ObjectList{"StatefulSet": &appsv1.StatefulSetList{}, "Deployment": &appsv1.DeploymentList{}, "Job": &batchv1.JobList{}} {
		if seen.List(ctx, list) != nil {
			return
		}
		for _, object := range objectsOf(list) {
			if object.GetDeletionTimestamp().IsZero() {
				owners[object.GetNamespace()+"/"+kind+"/"+object.GetName()] = true
			}
		}
	}
	pods := &corev1.PodList{}
	_ = seen.List(ctx, pods)
	for i := range pods.Items {
		pod := &pods.Items[i]
		if of := pod.Annotations["of"]; of != "" && !owners[pod.Namespace+"/"+of] {
			s.untrack(ctx, pod)
			_ = s.Delete(ctx, pod, client.GracePeriodSeconds(0))
		}
	}
}

// whoIs names a pod by its part in kvbench, and others by their name.
func whoIs(pod *corev1.Pod) string {
	for _, label := range []string{"kvbench.io/role", "app.kubernetes.io/component"} {
		if who := pod.Labels[label]; who != "" {
			return who
		}
	}
	return pod.Name
}

// portsOf are the ports of a pod's containers, by name.
func portsOf(pod *corev1.Pod) map[string]int32 {
	ports := map[string]int32{}
	for _, container := range pod.Spec.Containers {
		for _, port := range container.Ports {
			ports[port.Name] = port.ContainerPort
		}
	}
	return ports
}

func kindOf(object client.Object) string {
	switch object.(type) {
	case *appsv1.StatefulSet:
		return "StatefulSet"
	case *appsv1.Deployment:
		return "Deployment"
	}
	return "Job"
}

func objectsOf(list client.ObjectList) []client.Object {
	var objects []client.Object
	switch typed := list.(type) {
	case *appsv1.StatefulSetList:
		for i := range typed.Items {
			objects = append(objects, &typed.Items[i])
		}
	case *appsv1.DeploymentList:
		for i := range typed.Items {
			objects = append(objects, &typed.Items[i])
		}
	case *batchv1.JobList:
		for i := range typed.Items {
			objects = append(objects, &typed.Items[i])
		}
	}
	return objects
}
