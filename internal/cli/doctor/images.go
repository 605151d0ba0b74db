package doctor

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/cli/kube"
)

// notPulled are the reasons that a kubelet gives for a container without an image.
var notPulled = []string{"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError",
	"SignatureValidationFailed"}

// checkImages looks at the pods of kvbench, and at those of runs in the user's namespace.
func checkImages(ctx context.Context, c *kube.Cluster) (findings []Finding) {
	for _, place := range []struct{ namespace, labels, what string }{
		{c.System, "app.kubernetes.io/name=kvbench", "pods of kvbench now"},
		{c.Namespace, "kvbench.io/run-uid", "pods of runs now"},
	} {
		pods, err := c.Clients.CoreV1().Pods(place.namespace).List(ctx, metav1.ListOptions{LabelSelector: place.labels})
		if err != nil {
			findings = append(findings, unanswered(err, right{verb: "list", resource: "pods", namespace: place.namespace}))
			continue
		}
		findings = append(findings, judgeImages(place.what, place.namespace, pods.Items)...)
	}
	return findings
}

// judgeImages has one finding for each image that can't be pulled.
func judgeImages(what, namespace string, pods []corev1.Pod) (findings []Finding) {
	seen := map[string]bool{}
	for i := range pods {
		pod := &pods[i]
		for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
			waits := s.State.Waiting
			if waits == nil || !slices.Contains(notPulled, waits.Reason) || seen[s.Image] {
				continue
			}
			seen[s.Image] = true
			findings = append(findings, problem(inNamespace(namespace), "the image %s of the pod %s can't be pulled: %s; the pod names %s",
				bounded(s.Image), pod.Name, bounded(waits.Reason+" "+waits.Message), secretsOf(pod)).
				so("the pod never starts").
				mend("see that the image exists, that nodes reach its registry, and that the pull secrets are there and right: kubectl -n %s describe pod %s", namespace, pod.Name))
		}
	}
	if findings == nil {
		return []Finding{ok(inNamespace(namespace), "none is missing; there are %d %s", len(pods), what)}
	}
	return findings
}

// secretsOf are the pull secrets that the pod names.
func secretsOf(pod *corev1.Pod) string {
	names := make([]string, len(pod.Spec.ImagePullSecrets))
	for i, s := range pod.Spec.ImagePullSecrets {
		names[i] = s.Name
	}
	if len(names) == 0 {
		return "no pull secret"
	}
	return "the pull secrets " + few(names)
}
