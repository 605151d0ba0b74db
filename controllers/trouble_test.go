package controllers

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func pendingPod(pod *corev1.Pod) { pod.Status.Phase = corev1.PodPending }

func restarted(times int32, state corev1.ContainerState) podChange {
	return func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: times, State: state,
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Error", ExitCode: 1, Message: "bad flag"}}}}
	}
}

func withClaim(name string) podChange {
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

func notSandboxed(status corev1.ConditionStatus) podChange {
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
		kind troubleKind
		says string
	}{
		{"it starts", podOf("m-0", heldBy("ContainerCreating", "")), "", ""},
		{"it runs", podOf("m-0", readyPod), "", ""},
		{"it is not ready yet", podOf("m-0"), "", ""},
		{"it ended", podOf("m-0", exited("Error", 1, 0, "why")), "", ""},
		{"it is being deleted", podOf("m-0", unscheduled, goingAfter(0)), "", ""},

		{"no Kubernetes node takes it", podOf("m-0", unscheduled), unschedulable, "pod m-0: Unschedulable: 0/3 nodes are available"},
		{"its image can't be pulled", podOf("m-0", heldBy("ErrImagePull", "no route to host")), imageNotPulled, "pod m-0: ErrImagePull: no route to host"},
		{"its image is not there", podOf("m-0", heldBy("ErrImagePull", "manifest unknown")), imageNotFound, "pod m-0: ErrImagePull: manifest unknown"},
		{"its image is no image", podOf("m-0", heldBy("InvalidImageName", "")), imageNotFound, "pod m-0: InvalidImageName"},
		{"its image is nowhere, and not to be pulled", podOf("m-0", heldBy("ErrImageNeverPull", "")), imageNotFound, "pod m-0: ErrImageNeverPull"},
		{"the next pull is waited for", podOf("m-0", heldBy("ImagePullBackOff", "Back-off pulling image")), imageBackOff, "pod m-0: ImagePullBackOff: Back-off pulling image"},
		{"which says what the last one met", podOf("m-0", heldBy("ImagePullBackOff", "Back-off pulling image: ErrImagePull: manifest unknown")), imageNotFound, ""},
		{"a Secret isn't there", podOf("m-0", heldBy("CreateContainerConfigError", `secret "x" not found`)), containerNotStarted, `pod m-0: CreateContainerConfigError: secret "x" not found`},

		{"it ends again and again", podOf("m-0", restarted(1, waiting("CrashLoopBackOff"))), crashLoop, "pod m-0: Error, exit code 1: bad flag"},
		{"it runs, for the third time", podOf("m-0", restarted(2, running)), crashLoop, "pod m-0: Error, exit code 1: bad flag"},
		{"it ended once", podOf("m-0", restarted(1, running)), "", ""},
		{"it ends well again and again", podOf("m-0", heldBy("CrashLoopBackOff", "back-off 10s")), crashLoop, "pod m-0: CrashLoopBackOff: back-off 10s"},

		{"its volume is not made, though it has a node", podOf("m-0", pendingPod, withClaim("chosen")), volumePending, notMade + "chosen"},
		{"its volume is not made, so it has no node", podOf("m-0", unscheduled, withClaim("bound"), withClaim("asked")), volumePending, notMade + "asked"},
		{"its volume waits for it", podOf("m-0", unscheduled, withClaim("new")), unschedulable, ""},
		{"its volume waits for it, and nobody has looked", podOf("m-0", pendingPod, withClaim("new")), "", ""},
		{"its volume is there", podOf("m-0", unscheduled, withClaim("bound")), unschedulable, ""},
		{"its volume is not mounted", podOf("m-0", heldBy("ContainerCreating", ""), notSandboxed("False")), containerNotStarted, "pod m-0: its volumes are not mounted"},
		{"its image is being pulled", podOf("m-0", heldBy("ContainerCreating", ""), notSandboxed("True")), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got podTrouble
			if troubles := troubleOfPod(&c.pod, claims); len(troubles) > 0 {
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
		want        troubleKind
	}{
		{"redis:99", `rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/redis:99": failed to resolve reference "docker.io/library/redis:99": docker.io/library/redis:99: not found`, imageNotFound},
		{"redis:99", `failed to pull and unpack image "docker.io/library/redis:99": failed to resolve reference "docker.io/library/redis:99": docker.io/library/redis:99: not found`, imageNotFound},
		{"r.example/image", "rpc error: code = Unknown desc = Error reading manifest latest in r.example/image: manifest unknown: manifest unknown", imageNotFound},
		{"r.example/image", "reading manifest latest in r.example/image: name unknown: repository name not known to registry", imageNotFound},
		{"redsi:7", `failed to resolve reference "docker.io/library/redsi:7": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`, imageDenied},
		{"r.example/a", `failed to resolve reference "r.example/a:latest": failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized`, imageDenied},
		{"r.example/a", `failed to resolve reference "r.example/a:latest": unexpected status from HEAD request to https://r.example/v2/a/manifests/latest: 403 Forbidden`, imageDenied},
		{"quay.io/a/b", "Error reading manifest 1 in quay.io/a/b: unauthorized: access to the requested resource is not authorized", imageDenied},
		{"redis:7", "failed to copy: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/library/redis/manifests/sha256:0: 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit", imageNotPulled},
		{"redis:7", "denied: toomanyrequests: authentication required for more", imageNotPulled},
		{"redis:7", `failed to do request: Head "https://registry-1.docker.io/v2/library/redis/manifests/7": dial tcp: lookup registry-1.docker.io on 10.0.0.10:53: no such host`, imageNotPulled},
		{"redis:7", `failed to do request: Head "https://registry-1.docker.io/v2/library/redis/manifests/7": dial tcp 192.0.2.1:443: i/o timeout`, imageNotPulled},
		{"redis:7", "unexpected status code: 503 Service Unavailable", imageNotPulled},
		{"redis:7", "", imageNotPulled},
		// Whoever names an image doesn't choose what is made of it.
		{"r.example/code = notfound/manifest unknown", "pulling r.example/code = notfound/manifest unknown: i/o timeout", imageNotPulled},
	} {
		if got := kindOfPull(c.image, c.says); got != c.want {
			t.Errorf("%s: %s: %s, want %s", c.image, c.says, got, c.want)
		}
	}
}

func TestTheTimeOfATroubleCountsWhileItStands(t *testing.T) {
	type seen struct {
		kind  troubleKind
		words string
	}
	const none = troubleKind("")
	for _, c := range []struct {
		name  string
		seen  []seen // a second apart; the last at 9 s
		want  seen
		since int // seconds
	}{
		{"it is new", []seen{{unschedulable, "1 of 3"}}, seen{unschedulable, "1 of 3"}, 9},
		{"it stands, and its words stay", []seen{{unschedulable, "1 of 3"}, {unschedulable, "2 of 3"}}, seen{unschedulable, "1 of 3"}, 8},
		{"it went, and came back", []seen{{unschedulable, "1"}, {none, ""}, {unschedulable, "2"}}, seen{unschedulable, "2"}, 9},
		{"it became another", []seen{{unschedulable, "1"}, {imageNotPulled, "2"}}, seen{imageNotPulled, "2"}, 9},
		{"a missing image stands between the tries", []seen{{imageNotFound, "why"}, {imageBackOff, "back-off"}, {imageNotFound, "again"}}, seen{imageNotFound, "why"}, 7},
		{"what isn't known is a pull that failed", []seen{{imageBackOff, "back-off"}}, seen{imageNotPulled, "back-off"}, 9},
		{"until it is", []seen{{imageBackOff, "back-off"}, {imageNotFound, "why"}}, seen{imageNotFound, "why"}, 9},
		{"a registry that finds it and throttles", []seen{{imageNotFound, "1"}, {imageNotPulled, "429"}, {imageNotFound, "2"}}, seen{imageNotFound, "2"}, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			var memory Memory
			var last podTrouble
			for i, s := range c.seen {
				now := epoch.Add(time.Duration(10-len(c.seen)+i) * time.Second)
				var troubles []podTrouble
				if s.kind != none {
					troubles = []podTrouble{{Of: "pod", Kind: s.kind, Words: s.words}}
				}
				memory.date(now, nil, troubles)
				if troubles != nil {
					last = troubles[0]
				}
			}
			if last.Kind != c.want.kind || last.Words != c.want.words || !last.Since.Equal(epoch.Add(time.Duration(c.since)*time.Second)) {
				t.Errorf("%s %q since %s, want %s %q since %d s", last.Kind, last.Words, last.Since.Sub(epoch), c.want.kind, c.want.words, c.since)
			}
		})
	}
}

func TestTheTroublesOfARunThatIsOverAreForgotten(t *testing.T) {
	o := given(accepted, func(o *observed) { o.Store.Troubles = []podTrouble{{Of: "pod", Kind: unschedulable}} })
	o.dateTroubles()
	if len(o.Memory.Troubles) != 1 {
		t.Fatal("nothing is remembered")
	}
	condition(conditionFailing, "True", "x", 0)(o)
	o.dateTroubles()
	if len(o.Memory.Troubles) != 0 {
		t.Errorf("%v", o.Memory.Troubles)
	}
}

func TestEachPodHasItsOwnTime(t *testing.T) {
	var memory Memory
	at := func(second int, pods ...string) map[types.UID]time.Duration {
		var troubles []podTrouble
		for _, pod := range pods {
			troubles = append(troubles, podTrouble{Of: types.UID(pod), Kind: unschedulable})
		}
		memory.date(epoch.Add(time.Duration(second)*time.Second), troubles)
		since := map[types.UID]time.Duration{}
		for _, trouble := range troubles {
			since[trouble.Of] = trouble.Since.Sub(epoch)
		}
		return since
	}
	at(0, "a")
	if got := at(5, "a", "b"); got["a"] != 0 || got["b"] != 5*time.Second {
		t.Errorf("%v", got)
	}
}
