package pods

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

func restarted(times int32, state corev1.ContainerState) statetest.PodChange {
	return func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: times, State: state,
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 1, Message: "bad flag"}}}}
	}
}

func withClaim(name string) statetest.PodChange {
	return func(pod *corev1.Pod) {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
	}
}

func claimOf(name string, phase corev1.PersistentVolumeClaimPhase, annotation string) corev1.PersistentVolumeClaim {
	claim := corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{}}}
	if annotation != "" {
		claim.Annotations[annotation] = "x"
	}
	claim.Status.Phase = phase
	return claim
}

func notSandboxed(status corev1.ConditionStatus) statetest.PodChange {
	return func(pod *corev1.Pod) {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReadyToStartContainers, Status: status})
	}
}

func TestAPodThatDoesNotRunHasATrouble(t *testing.T) {
	waiting := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	claims := []corev1.PersistentVolumeClaim{
		claimOf("new", corev1.ClaimPending, ""), claimOf("chosen", corev1.ClaimPending, claimSelectedNode),
		claimOf("asked", corev1.ClaimPending, claimProvisioner), claimOf("bound", corev1.ClaimBound, claimProvisioner),
	}
	const notMade = "pod m-0 waits for the volume of its claim "
	for _, c := range []struct {
		name string
		pod  corev1.Pod
		kind state.TroubleKind
		says string
	}{
		{"it starts", statetest.PodOf("m-0", statetest.HeldBy("ContainerCreating", "")), "", ""},
		{"it runs", statetest.PodOf("m-0", statetest.ReadyPod), "", ""},
		{"it is not ready yet", statetest.PodOf("m-0"), "", ""},
		{"it ended", statetest.PodOf("m-0", statetest.Exited("Error", 1, 0, "why")), "", ""},
		{"it is being deleted", statetest.PodOf("m-0", statetest.Unscheduled, statetest.GoingAfter(0)), "", ""},

		{"no Kubernetes node takes it", statetest.PodOf("m-0", statetest.Unscheduled), state.Unschedulable, "pod m-0: Unschedulable: 0/3 nodes are available"},
		{"its image can't be pulled", statetest.PodOf("m-0", statetest.HeldBy("ErrImagePull", "no route to host")), state.ImageNotPulled, "pod m-0: ErrImagePull: no route to host"},
		{"its image is not there", statetest.PodOf("m-0", statetest.HeldBy("ErrImagePull", "manifest unknown")), state.ImageNotFound, "pod m-0: ErrImagePull: manifest unknown"},
		{"its image is no image", statetest.PodOf("m-0", statetest.HeldBy("InvalidImageName", "")), state.ImageNotFound, "pod m-0: InvalidImageName"},
		{"its image is nowhere, and not to be pulled", statetest.PodOf("m-0", statetest.HeldBy("ErrImageNeverPull", "")), state.ImageNotFound, "pod m-0: ErrImageNeverPull"},
		{"the next pull is waited for", statetest.PodOf("m-0", statetest.HeldBy("ImagePullBackOff", "Back-off pulling image")), state.ImageBackOff, "pod m-0: ImagePullBackOff: Back-off pulling image"},
		{"which says what the last one met", statetest.PodOf("m-0", statetest.HeldBy("ImagePullBackOff", "Back-off pulling image: ErrImagePull: manifest unknown")), state.ImageNotFound, ""},
		{"a Secret isn't there", statetest.PodOf("m-0", statetest.HeldBy("CreateContainerConfigError", `secret "x" not found`)), state.ContainerNotStarted, `pod m-0: CreateContainerConfigError: secret "x" not found`},

		{"it ends again and again", statetest.PodOf("m-0", restarted(1, waiting("CrashLoopBackOff"))), state.CrashLoop, "pod m-0: Error, exit code 1: bad flag"},
		{"it runs, for the third time", statetest.PodOf("m-0", restarted(2, running)), state.CrashLoop, "pod m-0: Error, exit code 1: bad flag"},
		{"it ended once", statetest.PodOf("m-0", restarted(1, running)), "", ""},
		{"it ends well again and again", statetest.PodOf("m-0", statetest.HeldBy("CrashLoopBackOff", "back-off 10s")), state.CrashLoop, "pod m-0: CrashLoopBackOff: back-off 10s"},

		{"its volume is not made, though it has a node", statetest.PodOf("m-0", statetest.PendingPod, withClaim("chosen")), state.VolumePending, notMade + "chosen"},
		{"its volume is not made, so it has no node", statetest.PodOf("m-0", statetest.Unscheduled, withClaim("bound"), withClaim("asked")), state.VolumePending, notMade + "asked"},
		{"its volume waits for it", statetest.PodOf("m-0", statetest.Unscheduled, withClaim("new")), state.Unschedulable, ""},
		{"its volume waits for it, and nobody has looked", statetest.PodOf("m-0", statetest.PendingPod, withClaim("new")), "", ""},
		{"its volume is there", statetest.PodOf("m-0", statetest.Unscheduled, withClaim("bound")), state.Unschedulable, ""},
		{"its volume is not mounted", statetest.PodOf("m-0", statetest.HeldBy("ContainerCreating", ""), notSandboxed("False")), state.ContainerNotStarted, "pod m-0: its volumes are not mounted"},
		{"its image is being pulled", statetest.PodOf("m-0", statetest.HeldBy("ContainerCreating", ""), notSandboxed("True")), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got state.PodTrouble
			if troubles := TroubleOfPod(&c.pod, claims); len(troubles) > 0 {
				got = troubles[0]
			}
			if got.Kind != c.kind || !strings.HasPrefix(got.Words, c.says) {
				t.Errorf("%q: %q, want %q: %q", got.Kind, got.Words, c.kind, c.says)
			}
		})
	}
}

// Registries' and runtimes' own words, as they were met.
func TestAPullThatFailsSaysWhetherItMaySucceedLater(t *testing.T) {
	for _, c := range []struct {
		image, says string
		want        state.TroubleKind
	}{
		{"redis:99", `rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/redis:99": failed to resolve reference "docker.io/library/redis:99": docker.io/library/redis:99: not found`, state.ImageNotFound},
		{"redis:99", `failed to pull and unpack image "docker.io/library/redis:99": failed to resolve reference "docker.io/library/redis:99": docker.io/library/redis:99: not found`, state.ImageNotFound},
		{"r.example/image", "rpc error: code = Unknown desc = Error reading manifest latest in r.example/image: manifest unknown: manifest unknown", state.ImageNotFound},
		{"r.example/image", "reading manifest latest in r.example/image: name unknown: repository name not known to registry", state.ImageNotFound},
		{"redsi:7", `failed to resolve reference "docker.io/library/redsi:7": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`, state.ImageDenied},
		{"r.example/a", `failed to resolve reference "r.example/a:latest": failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized`, state.ImageDenied},
		{"r.example/a", `failed to resolve reference "r.example/a:latest": unexpected status from HEAD request to https://r.example/v2/a/manifests/latest: 403 Forbidden`, state.ImageDenied},
		{"quay.io/a/b", "Error reading manifest 1 in quay.io/a/b: unauthorized: access to the requested resource is not authorized", state.ImageDenied},
		{"redis:7", "failed to copy: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/library/redis/manifests/sha256:0: 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit", state.ImageNotPulled},
		{"redis:7", "denied: toomanyrequests: authentication required for more", state.ImageNotPulled},
		{"redis:7", `failed to do request: Head "https://registry-1.docker.io/v2/library/redis/manifests/7": dial tcp: lookup registry-1.docker.io on 10.0.0.10:53: no such host`, state.ImageNotPulled},
		{"redis:7", `failed to do request: Head "https://registry-1.docker.io/v2/library/redis/manifests/7": dial tcp 192.0.2.1:443: i/o timeout`, state.ImageNotPulled},
		{"redis:7", "unexpected status code: 503 Service Unavailable", state.ImageNotPulled},
		{"redis:7", "", state.ImageNotPulled},
		// Whoever names an image doesn't choose what is made of it.
		{"r.example/code = notfound/manifest unknown", "pulling r.example/code = notfound/manifest unknown: i/o timeout", state.ImageNotPulled},
	} {
		if got := kindOfPull(c.image, c.says); got != c.want {
			t.Errorf("%s: %s: %s, want %s", c.image, c.says, got, c.want)
		}
	}
}
