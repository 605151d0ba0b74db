package doctor

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podOn is a pod of a component on a node, ready or not.
func podOn(node, component string, isReady bool) corev1.Pod {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: component + "-on-" + node, Namespace: "faults", Labels: map[string]string{componentLabel: component}}}
	pod.Spec.NodeName, pod.Spec.Containers = node, []corev1.Container{{Image: "registry/x:v1"}}
	condition := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse}
	if isReady {
		condition.Status = corev1.ConditionTrue
	}
	pod.Status.Conditions = []corev1.PodCondition{condition}
	return pod
}

func waiting(pod corev1.Pod, image, reason string) corev1.Pod {
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Image: image, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
	return pod
}

func TestOneReadyPodWillDo(t *testing.T) {
	off := podOn("a", "controller", false)
	leaving := podOn("a", "controller", true)
	leaving.DeletionTimestamp = &metav1.Time{}
	*leaving.DeletionTimestamp = metav1.Now()
	unscheduled := podOn("", "controller", false)
	unscheduled.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes"}}
	for name, c := range map[string]struct {
		pods []corev1.Pod
		want string
	}{
		"none":           {nil, "problem: the controller has no pod | namespace sys"},
		"one":            {[]corev1.Pod{podOn("a", "controller", true)}, "ok: registry/x:v1"},
		"one of two":     {[]corev1.Pod{off, podOn("b", "controller", true)}, "ok: controller-on-b"},
		"not ready":      {[]corev1.Pod{off}, "problem: see kubectl -n sys describe pod controller-on-a"},
		"being deleted":  {[]corev1.Pod{leaving}, "problem: isn't ready"},
		"crashes":        {[]corev1.Pod{waiting(off, "x", "CrashLoopBackOff")}, "problem: it waits: CrashLoopBackOff"},
		"without a node": {[]corev1.Pod{unscheduled}, "problem: it has no node: 0/3 nodes"},
	} {
		t.Run(name, func(t *testing.T) { wantFindings(t, []Finding{judgePods("the controller", "sys", c.pods)}, c.want) })
	}
}

func TestTheResultsServersAnswer(t *testing.T) {
	wantFindings(t, []Finding{judgeAnswer("n", "v0.1.0", "v0.1.3", nil)}, "ok: of version v0.1.3 | namespace n")
	wantFindings(t, []Finding{judgeAnswer("n", "v0.2.0", "v0.1.3", nil)}, "warning: the server of v0.1.3")
	wantFindings(t, []Finding{judgeAnswer("n", "v0.1.0", "", errors.New("reset"))}, "problem: it can't be reached: reset")
	wantFindings(t, []Finding{judgeAnswer("n", "v0.1.0", "", fmt.Errorf("asking: %w", forbidden()))}, "unknown: whether it answers is not known, for you lack rights")
	unversioned := []Finding{judgeAnswer("n", "", "v0.1.3", nil)}
	if wantFindings(t, unversioned, "unknown: the command is of no version"); verdict(unversioned) != nil {
		t.Error("a program that was built without a version fails")
	}
}

func TestImagesThatCantBePulled(t *testing.T) {
	pod := podOn("a", "x", false)
	wantFindings(t, judgeImages("pods", "n", nil), "ok: there are 0 pods | namespace n")
	wantFindings(t, judgeImages("pods", "n", []corev1.Pod{waiting(pod, "i:1", "ContainerCreating")}), "ok: 1 pods")
	wantFindings(t, judgeImages("pods", "n", []corev1.Pod{
		waiting(pod, "i:1", "ErrImagePull"), waiting(pod, "i:1", "ImagePullBackOff"), waiting(pod, "i:2", "InvalidImageName"),
	}), "problem: the image i:1 of the pod x-on-a can't be pulled: ErrImagePull; the pod names no pull secret", "problem: i:2")
	refused := waiting(pod, "i:1", "ImagePullBackOff")
	refused.Status.ContainerStatuses[0].State.Waiting.Message = "401\nUnauthorized"
	refused.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "a"}, {Name: "b"}}
	wantFindings(t, judgeImages("pods", "n", []corev1.Pod{refused}), "problem: ImagePullBackOff 401 Unauthorized; the pod names the pull secrets a, b")
}

func TestQuotasThatLetNoMoreIn(t *testing.T) {
	quota := func(hard, used string) corev1.ResourceQuota {
		return corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}, Status: corev1.ResourceQuotaStatus{
			Hard: corev1.ResourceList{"pods": resource.MustParse(hard)}, Used: corev1.ResourceList{"pods": resource.MustParse(used)},
		}}
	}
	wantFindings(t, judgeQuotas("n", nil), "ok: there is none")
	wantFindings(t, judgeQuotas("n", []corev1.ResourceQuota{quota("10", "9")}), "ok: none is full, of 1 | namespace n")
	wantFindings(t, judgeQuotas("n", []corev1.ResourceQuota{quota("10", "9"), quota("10", "10"), quota("1k", "1001")}), "warning: (pods: 10 of 10)", "warning: 1001 of 1k")
}

func TestQuotasOfNothing(t *testing.T) {
	for name, c := range map[corev1.ResourceName]struct{ used, want string }{
		"services.loadbalancers":            {"0", "ok: none is full"},
		"requests.nvidia.com/gpu":           {"0", "ok: none is full"},
		"count/ingresses.networking.k8s.io": {"0", "ok: none is full"},
		"services.nodeports":                {"1", "ok: none is full"}, // it was there before the quota
		"pods":                              {"0", "warning: (pods: 0 of 0)"},
		"requests.cpu":                      {"0", "warning: (requests.cpu: 0 of 0)"},
		"count/jobs.batch":                  {"0", "warning: (count/jobs.batch: 0 of 0)"},
	} {
		quota := corev1.ResourceQuota{Status: corev1.ResourceQuotaStatus{
			Hard: corev1.ResourceList{name: resource.MustParse("0")}, Used: corev1.ResourceList{name: resource.MustParse(c.used)},
		}}
		wantFindings(t, judgeQuotas("n", []corev1.ResourceQuota{quota}), c.want)
	}
}

func TestQuotasOfSomePods(t *testing.T) {
	full := corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}, Status: corev1.ResourceQuotaStatus{
		Hard: corev1.ResourceList{"pods": resource.MustParse("1")}, Used: corev1.ResourceList{"pods": resource.MustParse("1")},
	}}
	full.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}
	wantFindings(t, judgeQuotas("n", []corev1.ResourceQuota{full}), "warning: the quota q is full for what is of its scope, BestEffort (pods: 1 of 1) | namespace n | a run whose pods are of the scope")
	full.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
		{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpIn, Values: []string{"high", "higher"}},
	}}
	wantFindings(t, judgeQuotas("n", []corev1.ResourceQuota{full}), "warning: its scope, BestEffort and PriorityClass In high, higher (pods")
}

func TestRightsThatAreMissing(t *testing.T) {
	all := map[right]bool{}
	wants := needs("team-a", "sys")
	for _, n := range wants {
		all[n.oneOf[0]] = true
	}
	wantFindings(t, judgeRights(wants, all, "team-a"), "ok: you may do all that kubectl kvbench does | namespace team-a")

	reader := right{verb: "create", resource: "serviceaccounts/token", name: "kvbench-reader", namespace: "sys"}
	user := right{verb: "create", resource: "serviceaccounts/token", name: "kvbench-user", namespace: "team-a"}
	delete(all, user)
	wantFindings(t, judgeRights(wants, all, "team-a"), "problem: rights to create serviceaccounts/token kvbench-user in the namespace team-a | namespace team-a | these don't work for you: report, ")
	all[reader] = true
	wantFindings(t, judgeRights(wants, all, "team-a"), "ok: you may")

	for _, verb := range []string{"create", "get"} {
		forward := right{verb: verb, resource: "pods/portforward", name: resultsPod, namespace: "sys"}
		if !all[forward] {
			t.Errorf("%s is not asked for", forward)
		}
		all[forward] = false
		wantFindings(t, judgeRights(wants, all, "team-a"), "problem: rights to "+verb+" pods/portforward kvbench-results-0 in the namespace sys |")
		all[forward] = true
	}

	wantFindings(t, judgeRights(wants, nil, "team-a"), "problem: for you: run |", "problem: for you: list, get", "problem: for you: cancel, delete", "problem: for you: logs",
		"problem: for you: events in watch", "problem: for you: events in logs --follow", "problem: for you: report")
	if asked := reviewOf(user).Spec.ResourceAttributes; asked.Resource != "serviceaccounts" || asked.Subresource != "token" || asked.Name != "kvbench-user" {
		t.Errorf("asked for %+v", asked)
	}
}

func TestTheDeployersAccount(t *testing.T) {
	wantFindings(t, []Finding{judgeDeployer(nil, "n")}, "ok: the service account kvbench-deployer is there | namespace n")
	wantFindings(t, []Finding{judgeDeployer(notFound(), "n")}, "problem: deployer.namespaces")
	wantFindings(t, []Finding{judgeDeployer(forbidden(), "n")}, "unknown: needs the right to get serviceaccounts kvbench-deployer")
}
