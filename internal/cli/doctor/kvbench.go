package doctor

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/version"
	"github.com/kvbench/kvbench/internal/results/wire"
	kvbench "github.com/kvbench/kvbench/internal/version"
)

// checkController looks for a pod of the controller that is ready.
func checkController(ctx context.Context, c *kube.Cluster) []Finding {
	pods, err := c.Clients.CoreV1().Pods(c.System).List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=kvbench,app.kubernetes.io/component=controller"})
	if err != nil {
		return []Finding{unanswered(err, right{verb: "list", resource: "pods", namespace: c.System})}
	}
	return []Finding{judgePods("the controller", c.System, pods.Items)}
}

// judgePods says whether one of the pods is ready.
func judgePods(what, namespace string, pods []corev1.Pod) Finding {
	if len(pods) == 0 {
		return problem(inNamespace(namespace), "%s has no pod", what).so("no run begins without it").
			mend("install kvbench's chart (docs/guide/install.md), or name its namespace with --system-namespace")
	}
	for i := range pods {
		if ready(&pods[i]) {
			return ok(inNamespace(namespace), "the pod %s is ready (%s)", pods[i].Name, imageOf(&pods[i]))
		}
	}
	pod := &pods[0]
	return problem(inNamespace(namespace), "the pod %s isn't ready%s", pod.Name, because(pod)).so("no run begins without %s", what).
		mend("see kubectl -n %s describe pod %s, and its logs", namespace, pod.Name)
}

func ready(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue && pod.DeletionTimestamp.IsZero()
		}
	}
	return false
}

// because is what a pod that isn't ready waits for, or why its container ended; "" where it doesn't say.
func because(pod *corev1.Pod) string {
	for _, s := range pod.Status.ContainerStatuses {
		switch end := s.LastTerminationState.Terminated; {
		case s.State.Waiting != nil && s.State.Waiting.Reason != "":
			return ", for it waits: " + s.State.Waiting.Reason
		case s.State.Terminated != nil:
			return ", for it has ended: " + s.State.Terminated.Reason
		case end != nil:
			return ", and its container has ended before: " + end.Reason
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return ", for it has no node: " + bounded(c.Message)
		}
	}
	return ""
}

func imageOf(pod *corev1.Pod) string {
	if len(pod.Spec.Containers) == 0 {
		return "no image"
	}
	return pod.Spec.Containers[0].Image
}

// resultsPod is the one pod of the results server.
const resultsPod = "kvbench-results-0"

// checkResults looks at the results server's pod, and asks the server as this user.
func checkResults(ctx context.Context, c *kube.Cluster) []Finding {
	pod, err := c.Clients.CoreV1().Pods(c.System).Get(ctx, resultsPod, metav1.GetOptions{})
	var findings []Finding
	switch {
	case apierrors.IsNotFound(err):
		return []Finding{judgePods("the results server", c.System, nil)}
	case err != nil:
		findings = append(findings, unanswered(err, right{verb: "get", resource: "pods", name: resultsPod, namespace: c.System}))
	default:
		findings = append(findings, judgePods("the results server", c.System, []corev1.Pod{*pod}))
	}
	if findings[0].Severity == Problem {
		return findings
	}
	results := c.Results()
	defer results.Close()
	var told wire.Version
	err = results.Ask(ctx, "/v1/version", &told)
	return append(findings, judgeAnswer(c.Namespace, kvbench.String(), told.Version, err))
}

// judgeAnswer is of the results server's answer to this user.
func judgeAnswer(namespace, client, server string, err error) Finding {
	where := inNamespace(namespace) // whose results are asked for
	switch {
	case apierrors.IsForbidden(err):
		return unknown(where, "whether it answers is not known, for you lack rights to ask it: %s", bounded(err.Error())).so("reports come from it").
			mend("see the check of your rights")
	case err != nil:
		return problem(where, "it can't be reached: %s", bounded(err.Error())).so("no report, list of kept runs or baseline can be had").
			mend("see the pod %s, its logs, and kvbench-user in this namespace", resultsPod)
	case client == "" || server == "":
		f := unknown(where, "it answers; whether its version fits is not known, for the command is of %s and the server of %s", named(client), named(server)).
			so("fields of another version may be lost").mend("see that both are of one release")
		f.untold = true // programs that were built without a version
		return f
	}
	if misfit := version.Misfit(client, server); misfit != "" {
		return warning(where, "the command is of %s, and the server of %s", client, server).so("fields that one of them doesn't know are lost").
			mend("install the command of the cluster's version")
	}
	return ok(where, "it answers, and is of version %s", server)
}

// named is a version, in words where a program was built without one.
func named(version string) string {
	if version == "" {
		return "no version"
	}
	return version
}
