package doctor

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// machine is a node that is ready and has Linux.
func machine(name string, change ...func(*corev1.Node)) corev1.Node {
	node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	node.Status.NodeInfo = corev1.NodeSystemInfo{OperatingSystem: "linux", Architecture: "amd64", KernelVersion: "6.1", ContainerRuntimeVersion: "containerd://2.1.4"}
	for _, c := range change {
		c(&node)
	}
	return node
}

func arm(n *corev1.Node)     { n.Status.NodeInfo.Architecture = "arm64" }
func windows(n *corev1.Node) { n.Status.NodeInfo.OperatingSystem = "windows" }
func away(n *corev1.Node)    { n.Status.Conditions[0].Status = corev1.ConditionUnknown }
func newer(n *corev1.Node)   { n.Status.NodeInfo.KernelVersion = "6.18" }
func tainted(n *corev1.Node) {
	n.Spec.Taints = []corev1.Taint{{Key: "x", Effect: corev1.TaintEffectNoSchedule}}
}

func TestNodes(t *testing.T) {
	for name, c := range map[string]struct {
		nodes []corev1.Node
		want  []string
	}{
		"three":            {[]corev1.Node{machine("a"), machine("b"), machine("c")}, []string{"ok: 3 of 3 are ready and take pods (linux/amd64)"}},
		"one for itself":   {[]corev1.Node{machine("a"), machine("b", tainted)}, []string{"ok: 1 of 2"}},
		"one is away":      {[]corev1.Node{machine("a"), machine("b", away)}, []string{"ok: 1 of 2", "warning: b is not ready"}},
		"two without":      {[]corev1.Node{machine("a"), machine("b", windows), machine("c", windows)}, []string{"ok: 1 of 3", "warning: b, c have no Linux"}},
		"two kinds":        {[]corev1.Node{machine("a"), machine("b", arm)}, []string{"ok: (linux/amd64, linux/arm64)", "warning: several architectures"}},
		"none that can be": {[]corev1.Node{machine("a", tainted)}, []string{"problem: none of 1 nodes"}},
	} {
		t.Run(name, func(t *testing.T) { wantFindings(t, judgeNodes(c.nodes), c.want...) })
	}
}

func TestKernelsAreUnknownInside(t *testing.T) {
	found := judgeKernels([]corev1.Node{machine("a"), machine("b", newer), machine("c"), machine("d", windows)})
	wantFindings(t, found, "unknown: Linux 6.1 with containerd://2.1.4; what is built into it is not known, for no API server knows it | nodes a, c |",
		"unknown: Linux 6.18 with containerd://2.1.4; what is built into it is not known, for no API server knows it | node b |")
	if verdict(found) != nil {
		t.Error("what nobody can know changes the exit code")
	}
}

func TestOneStorageClassIsTheDefault(t *testing.T) {
	class := func(name, isDefault string) storagev1.StorageClass {
		return storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{defaultClass: isDefault}}}
	}
	old := class("old", "false")
	old.Annotations[oldDefaultClass] = "true"
	for _, c := range []struct {
		classes []storagev1.StorageClass
		want    string
	}{
		{nil, "problem: there is no storage class"},
		{[]storagev1.StorageClass{class("fast", "false")}, "problem: kubectl annotate --overwrite storageclass fast " + defaultClass + "=true"},
		{[]storagev1.StorageClass{class("fast", ""), class("slow", "true")}, "ok: slow is the default"},
		{[]storagev1.StorageClass{class("fast", "true"), class("slow", "true")}, "warning: (fast, slow)"},
		{[]storagev1.StorageClass{old}, "ok: old is the default"},
		{[]storagev1.StorageClass{class("fast", "true"), old}, "warning: (fast, old)"},
	} {
		wantFindings(t, []Finding{judgeStorage(c.classes)}, c.want)
	}
}

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func TestThisMachinesClock(t *testing.T) {
	for name, c := range map[string]struct {
		off, took time.Duration
		want      string
	}{
		"the same":                {0, 10 * time.Millisecond, "ok: by 1s at most | this machine"},
		"in the same second":      {900 * time.Millisecond, 10 * time.Millisecond, "ok: by 1s at most"},
		"a slow answer":           {-5 * time.Second, 9 * time.Second, "ok: by 10s at most"},
		"ahead":                   {61 * time.Second, 0, "warning: at least 1m0s ahead of the API server's, and at most 1s more"},
		"behind":                  {-time.Hour, 10 * time.Millisecond, "warning: at least 1h0m0s behind the API server's"},
		"less than can be told":   {3500 * time.Millisecond, 0, "ok: by 3.5s at most"},
		"just what can be told":   {4001 * time.Millisecond, 0, "warning: ahead"},
		"behind by what is small": {-2 * time.Second, 0, "ok: by 3s at most"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := noon.Add(c.off)
			wantFindings(t, []Finding{judgeOwnClock(server{date: noon, asked: asked, told: asked.Add(c.took)})}, c.want)
		})
	}
	wantFindings(t, []Finding{judgeOwnClock(server{})}, "unknown: has no Date")
}

func TestNodesClocks(t *testing.T) {
	lease := func(name string, off time.Duration) coordinationv1.Lease {
		written, noted := metav1.NewMicroTime(noon.Add(off)), metav1.NewTime(noon)
		created := metav1.NewTime(noon.Add(-time.Hour))
		l := coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, ManagedFields: []metav1.ManagedFieldsEntry{{Time: &created}, {Time: &noted}, {}}}}
		l.Spec.RenewTime = &written
		return l
	}
	for name, c := range map[string]struct {
		leases []coordinationv1.Lease
		want   []string
	}{
		"2.5 s":        {[]coordinationv1.Lease{lease("a", -2500*time.Millisecond)}, []string{"ok: by 3.5s at most"}},
		"good ones":    {[]coordinationv1.Lease{lease("a", 0), lease("b", 900*time.Millisecond)}, []string{"ok: the clocks of 2 nodes differ from the API server's by 1s at most"}},
		"one alone":    {[]coordinationv1.Lease{lease("a", 0)}, []string{"ok: the clocks of 1 node differ"}},
		"ahead":        {[]coordinationv1.Lease{lease("a", 0), lease("b", 61*time.Second)}, []string{"warning: at least 1m0s ahead of the API server's (known to 1s, and to the time that its kubelet's request took) | node b"}},
		"behind":       {[]coordinationv1.Lease{lease("a", -time.Minute)}, []string{"warning: at least 1m0s behind"}},
		"without time": {[]coordinationv1.Lease{{}}, []string{"unknown: no node has a lease"}},
	} {
		t.Run(name, func(t *testing.T) { wantFindings(t, judgeNodeClocks(c.leases), c.want...) })
	}
}
