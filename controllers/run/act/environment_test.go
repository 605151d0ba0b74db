package act

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// inCluster are a member with a volume, two workers and a pod of somebody else, on two nodes of which one is gone.
func inCluster() []client.Object {
	run, ofPlan := statetest.Given().Run, planOfThree()
	pod := func(name, role, node, digest string) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: run.Namespace, Name: name, Labels: names.RunLabels(run, role)}}
		p.Spec.NodeName = node
		if role == names.RoleWorker {
			p.OwnerReferences = []metav1.OwnerReference{{Kind: "Job", Name: plan.MeasureJobName(ofPlan.Run.ID, ofPlan.Workloads[0].Name), UID: "job", Controller: ptr.To(true)}}
		}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "sidecar", ImageID: "sha256:other"}, {Name: "etcd", Image: "registry/etcd:1", ImageID: digest}}
		if role == names.RoleWorker { // it has done its work
			p.Status.ContainerStatuses[1].State.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed"}
		}
		return p
	}
	member := pod("m-0", names.RoleStore, "node1", "registry/etcd@sha256:5e")
	member.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-m-0"}}}}
	member.Status.ContainerStatuses[1].RestartCount = 2
	member.Status.ContainerStatuses[1].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
		ExitCode: 3, Reason: "Error", Message: " Java heap space\n", FinishedAt: metav1.Date(2026, 11, 28, 22, 0, 0, 0, time.UTC),
	}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: run.Namespace, Name: "data-m-0"}}
	claim.Spec.StorageClassName = ptr.To("fast")
	other := pod("other", names.RoleStore, "node1", "")
	other.Labels = map[string]string{names.LabelRole: names.RoleStore}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node1", Labels: map[string]string{corev1.LabelInstanceTypeStable: "m6i.large", corev1.LabelTopologyZone: "a"}}}
	node.Status.NodeInfo = corev1.NodeSystemInfo{KernelVersion: "6.1", Architecture: "amd64"}
	node.Status.Capacity = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("8Gi")}
	// Others may use the run's labels.
	forged := pod("aaa", names.RoleWorker, "node1", "")
	forged.OwnerReferences[0].UID = "any"
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: run.Namespace, Name: plan.MeasureJobName(ofPlan.Run.ID, ofPlan.Workloads[0].Name), UID: "job", OwnerReferences: names.OwnedBy(run)}}
	return []client.Object{job, member, claim, other, node, forged, pod("mine", names.RoleStore, "node1", ""), pod("w-1", names.RoleWorker, "gone", "sha256:9"), pod("w-0", names.RoleWorker, "node1", "sha256:9")}
}

// planOfThree has the members m-0 to m-2.
func planOfThree() *plan.Plan {
	p := statetest.Given(statetest.Planned).Plan
	p.Store.Container, p.Store.Members = "etcd", []plan.Member{{Name: "m-0"}, {Name: "m-1"}, {Name: "m-2"}}
	return p
}

func environmentOf(t *testing.T, c client.Client, direct client.Reader) (found bundle.Environment) {
	t.Helper()
	o := statetest.Given(statetest.Planned)
	o.Plan = planOfThree()
	text, err := (&Actor{Set: clients.Set{Client: c, Direct: direct}}).environment(t.Context(), o)
	statetest.Must(t, err)
	statetest.Must(t, json.Unmarshal(text, &found))
	return found
}

func TestAReportKnowsWhereItsPodsWere(t *testing.T) {
	c := fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(inCluster()...).Build()
	found := environmentOf(t, c, c)
	if len(found.Pods) != 3 || len(found.Nodes) != 2 {
		t.Fatalf("%+v", found)
	}
	member := bundle.Pod{Name: "m-0", Role: bundle.PodMember, Node: "node1", Image: "registry/etcd:1", Digest: "sha256:5e", StorageClass: "fast", Restarts: 2}
	end := found.Pods[0].LastEnd
	if found.Pods[0].LastEnd = nil; end == nil || *end != (bundle.ContainerEnd{At: "2026-11-28T22:00:00Z", Reason: "Error", ExitCode: 3, Message: "Java heap space"}) {
		t.Errorf("%+v", end)
	}
	if found.Pods[1].LastEnd != nil || found.Pods[1].Workload != planOfThree().Workloads[0].Name {
		t.Errorf("%+v", found.Pods[1])
	}
	if found.Pods[0] != member || found.Pods[1].Name != "w-0" || found.Pods[2].Role != bundle.PodWorker {
		t.Errorf("%+v", found.Pods)
	}
	if found.Nodes[0] != (bundle.Node{Name: "gone"}) {
		t.Errorf("%+v", found.Nodes[0])
	}
	if node := found.Nodes[1]; node.Kind != "m6i.large" || node.Zone != "a" || node.CPUs != 2 || node.MemoryBytes != 8<<30 || node.Kernel != "6.1" {
		t.Errorf("%+v", node)
	}
}

func TestAnEndHasATimeIfTheKubeletKnowsIt(t *testing.T) {
	lost := &corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 0, Reason: "ContainerStatusUnknown"}}}
	if end := endOf(lost, false); end == nil || end.At != "" || end.Reason != "ContainerStatusUnknown" {
		t.Errorf("%+v", end)
	}
	if end := endOf(lost, true); end != nil {
		t.Errorf("a worker that is done: %+v", end)
	}
}

func TestARunEndsThoughNobodyMayLookAtNodes(t *testing.T) {
	c := fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(inCluster()...).Build()
	denied := interceptor.NewClient(c, interceptor.Funcs{Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
		return errors.New("denied")
	}})
	found := environmentOf(t, c, denied)
	if len(found.Pods) != 3 || found.Pods[0].StorageClass != "" || len(found.Nodes) != 2 || found.Nodes[1].Kernel != "" {
		t.Errorf("%+v", found)
	}
}

func TestARunCanBeDoneAgain(t *testing.T) {
	run := statetest.Given().Run.DeepCopy()
	run.Labels, run.Finalizers, run.Spec.Seed = map[string]string{"of": "somebody"}, []string{"kvbench.io/cleanup"}, nil
	text, err := manifestOf(run, 7)
	if err != nil {
		t.Fatal(err)
	}
	var again v1alpha1.BenchmarkRun
	if err := yaml.UnmarshalStrict(text, &again); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	want := v1alpha1.BenchmarkRun{TypeMeta: metav1.TypeMeta{APIVersion: "kvbench.io/v1alpha1", Kind: "BenchmarkRun"},
		ObjectMeta: metav1.ObjectMeta{Name: run.Name, Namespace: run.Namespace}, Spec: *run.Spec.DeepCopy()}
	want.Spec.Seed = ptr.To[int64](7)
	if !equality.Semantic.DeepEqual(again, want) {
		t.Errorf("got %+v, want %+v", again, want)
	}
}
