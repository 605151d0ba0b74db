package act

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// maxPods bounds the document: a run of 64 workloads with 100 workers each has thousands.
const maxPods = 500

// environment says where the run's members and workers are, and on which machines, and how to do the run again. What this controller may not read, or what
// is gone, is left out: no run fails for that.
func (r *Actor) environment(ctx context.Context, o *state.Observed) ([]byte, error) {
	found := bundle.Environment{Nodes: []bundle.Node{}, Pods: []bundle.Pod{}}
	workers := r.measureJobs(ctx, o)
	for _, role := range []string{names.RoleStore, names.RoleWorker} {
		pods := &corev1.PodList{}
		if err := r.List(ctx, pods, client.InNamespace(o.Run.Namespace), client.MatchingLabels(names.RunLabels(o.Run, role))); err != nil {
			continue
		}
		slices.SortFunc(pods.Items, func(a, b corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
		for i := range pods.Items {
			pod := &pods.Items[i]
			if workload, is := isOf(o, pod, role, workers); is && len(found.Pods) < maxPods {
				one := r.podOf(ctx, pod, role, o.Plan.Store.Container)
				one.Workload = workload
				found.Pods = append(found.Pods, one)
			}
		}
	}
	slices.SortFunc(found.Pods, func(a, b bundle.Pod) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Name, b.Name))
	})
	for _, pod := range found.Pods {
		known := slices.ContainsFunc(found.Nodes, func(n bundle.Node) bool { return n.Name == pod.Node })
		if pod.Node != "" && !known {
			found.Nodes = append(found.Nodes, r.nodeOf(ctx, pod.Node))
		}
	}
	slices.SortFunc(found.Nodes, func(a, b bundle.Node) int { return cmp.Compare(a.Name, b.Name) })
	if text, err := manifestOf(o.Run, o.Plan.Seed); err == nil && len(text) <= bundle.MaxManifest {
		found.Manifest = string(text)
	}
	return json.Marshal(found)
}

// manifestOf is the run as somebody would write it who wants the same operations again.
func manifestOf(run *v1alpha1.BenchmarkRun, seed uint64) ([]byte, error) {
	spec := run.Spec.DeepCopy()
	if spec.Seed == nil && seed <= math.MaxInt64 {
		spec.Seed = ptr.To(int64(seed))
	}
	return yaml.Marshal(struct {
		APIVersion string                    `json:"apiVersion"`
		Kind       string                    `json:"kind"`
		Metadata   map[string]string         `json:"metadata"`
		Spec       v1alpha1.BenchmarkRunSpec `json:"spec"`
	}{v1alpha1.GroupVersion.String(), "BenchmarkRun", map[string]string{"name": run.Name, "namespace": run.Namespace}, *spec})
}

// measureJobs are the workloads by the UIDs of the Jobs that measured them, as this controller made them.
func (r *Actor) measureJobs(ctx context.Context, o *state.Observed) map[types.UID]string {
	workloads := map[types.UID]string{}
	for i := range o.Plan.Workloads {
		job := &batchv1.Job{}
		key := client.ObjectKey{Namespace: o.Run.Namespace, Name: plan.MeasureJobName(o.Plan.Run.ID, o.Plan.Workloads[i].Name)}
		if err := r.Get(ctx, key, job); err == nil && names.MadeFor(o.Run, job) {
			workloads[job.UID] = o.Plan.Workloads[i].Name
		}
	}
	return workloads
}

// isOf says that the pod is a member of the plan, or of one of these Jobs, and then of which workload. Anybody who may make pods in
// the namespace can give them the run's labels, and an owner of that name.
func isOf(o *state.Observed, pod *corev1.Pod, role string, workers map[types.UID]string) (workload string, is bool) {
	if role == names.RoleStore {
		return "", slices.ContainsFunc(o.Plan.Store.Members, func(m plan.Member) bool { return m.Name == pod.Name })
	}
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return "", false
	}
	workload, is = workers[owner.UID]
	return workload, is
}

// podOf takes the container of that name, or the first one.
func (r *Actor) podOf(ctx context.Context, pod *corev1.Pod, role, container string) bundle.Pod {
	one := bundle.Pod{Name: pod.Name, Role: bundle.PodMember, Node: pod.Spec.NodeName}
	if role == names.RoleWorker {
		one.Role = bundle.PodWorker
	}
	for i := range pod.Status.ContainerStatuses {
		if status := &pod.Status.ContainerStatuses[i]; i == 0 || status.Name == container {
			one.Image, one.Digest = message.Cut(status.Image, 256), message.Cut(digestOf(status.ImageID), 256)
			one.Restarts, one.LastEnd = status.RestartCount, endOf(status, one.Role == bundle.PodWorker)
		}
	}
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim == nil || one.Role != bundle.PodMember || one.StorageClass != "" {
			continue
		}
		claim := &corev1.PersistentVolumeClaim{}
		key := client.ObjectKey{Namespace: pod.Namespace, Name: volume.PersistentVolumeClaim.ClaimName}
		if err := r.Direct.Get(ctx, key, claim); err == nil && claim.Spec.StorageClassName != nil {
			one.StorageClass = *claim.Spec.StorageClassName
		}
	}
	return one
}

// maxLastWords bounds what a container said at its end.
const maxLastWords = 512

// endOf is how the container ended the last time; nil if it never did, or is a worker's that has done its work.
func endOf(status *corev1.ContainerStatus, worker bool) *bundle.ContainerEnd {
	ended := status.State.Terminated
	if ended == nil {
		ended = status.LastTerminationState.Terminated
	}
	if ended == nil || worker && ended.ExitCode == 0 {
		return nil
	}
	at := ""
	if !ended.FinishedAt.IsZero() { // it is so of a container that the kubelet lost
		at = ended.FinishedAt.UTC().Format(time.RFC3339)
	}
	return &bundle.ContainerEnd{
		At: at, Reason: message.Cut(ended.Reason, 128), ExitCode: ended.ExitCode,
		Message: message.CutHead(strings.TrimSpace(ended.Message), maxLastWords),
	}
}

// digestOf leaves out the repository, by which the same image is called differently at each registry.
func digestOf(imageID string) string {
	if _, digest, ok := strings.Cut(imageID, "@"); ok {
		return digest
	}
	return imageID
}

func (r *Actor) nodeOf(ctx context.Context, name string) bundle.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(node), node); err != nil {
		return bundle.Node{Name: name}
	}
	info := &node.Status.NodeInfo
	return bundle.Node{
		Name: name, Kind: node.Labels[corev1.LabelInstanceTypeStable], Zone: node.Labels[corev1.LabelTopologyZone],
		Architecture: info.Architecture, OS: info.OSImage, Kernel: info.KernelVersion,
		ContainerRuntime: info.ContainerRuntimeVersion, Kubelet: info.KubeletVersion,
		CPUs: node.Status.Capacity.Cpu().Value(), MemoryBytes: node.Status.Capacity.Memory().Value(),
	}
}
