package logs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var run = subject{Name: "leader-kill", Namespace: "team-a", UID: "1234-5678", ID: "leader-kill-ab12cd", Store: "etcd"}

func TestAPodIsNamedByItsPart(t *testing.T) {
	for _, c := range []struct {
		pod, role, want string
		known           bool
	}{
		{"leader-kill-ab12cd-0", "store", "member etcd-0", true},
		{"leader-kill-ab12cd-shard-1-0", "store", "member shard-1-0", true},
		{"leader-kill-ab12cd-measure-a-1-x7k2p", "worker", "worker measure-a-1", true},
		{"leader-kill-ab12cd-load-a-0-x7k2p", "load", "worker load-a-0", true},
		{"leader-kill-ab12cd-observer-7c5d-x7k2p", "observer", "observer", true},
		{"someone-elses", "other", "", false},
	} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: c.pod, Labels: map[string]string{labelRole: c.role}}}
		if got, known := sourceOf(pod, run); got.Source != c.want || known != c.known {
			t.Errorf("%s: %q, %t; want %q", c.pod, got.Source, known, c.want)
		}
	}
}

func TestEachLifeOfAContainerHasALog(t *testing.T) {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}
	for name, c := range map[string]struct {
		now, before corev1.ContainerState
		restarts    int32
		want        []string
	}{
		"waits for its first start": {now: waiting, want: nil},
		"runs":                      {now: running, want: []string{"u/etcd/0 previous=false running=true"}},
		"has ended":                 {now: ended, want: []string{"u/etcd/0 previous=false running=false"}},
		"runs again":                {now: running, before: ended, restarts: 3, want: []string{"u/etcd/2 previous=true running=false", "u/etcd/3 previous=false running=true"}},
		"waits for its next start":  {now: waiting, before: ended, restarts: 3, want: []string{"u/etcd/3 previous=true running=false"}},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "u"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "etcd"}}}}
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "etcd", State: c.now, LastTerminationState: c.before, RestartCount: c.restarts}}
			var got []string
			for _, life := range containersOf(pod, Line{Source: "member etcd-0"}) {
				got = append(got, fmt.Sprintf("%s previous=%t running=%t", life.Key, life.Previous, life.Running))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAContainerWhosePodIsDeletedIsNotKept(t *testing.T) {
	pod := &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}}}
	if found := containersOf(pod, Line{}); !found[0].Kept {
		t.Error("one that runs is not kept")
	}
	now := metav1.Now()
	pod.DeletionTimestamp = &now
	if found := containersOf(pod, Line{}); found[0].Kept || !found[0].Running {
		t.Errorf("got %+v", found[0])
	}
}

func TestASecondContainerIsNamed(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "etcd"}, {Name: "agent"}}}}
	for _, name := range []string{"etcd", "agent"} {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: name,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}})
	}
	found := containersOf(pod, Line{Source: "member etcd-0"})
	if found[0].Like.Source != "member etcd-0" || found[1].Like.Source != "member etcd-0/agent" {
		t.Errorf("got %q and %q", found[0].Like.Source, found[1].Like.Source)
	}
}

func TestEventsOfTheRunAndOfWhatItMade(t *testing.T) {
	about := func(kind, name, uid string) *corev1.Event {
		e := &corev1.Event{Type: "Normal", Reason: "Started", Message: "it began", EventTime: metav1.NewMicroTime(at(7))}
		e.InvolvedObject = corev1.ObjectReference{Kind: kind, Namespace: "team-a", Name: name, UID: "other"}
		if uid != "" {
			e.InvolvedObject.UID = "1234-5678"
		}
		return e
	}
	for _, c := range []struct {
		event *corev1.Event
		want  string // "" is none
	}{
		{about("BenchmarkRun", "leader-kill", "its"), "event run"},
		{about("BenchmarkRun", "leader-kill", ""), ""}, // an earlier one of that name
		{about("Pod", "leader-kill-ab12cd-0", ""), "event pod etcd-0"},
		{about("StatefulSet", "leader-kill-ab12cd", ""), "event statefulset etcd"},
		{about("Pod", "leader-kill-ab12cde-0", ""), ""},
	} {
		got, is := ofEvent(c.event, []subject{run})
		if got.Source != c.want || is != (c.want != "") {
			t.Errorf("%s %s: %q, %t; want %q", c.event.InvolvedObject.Kind, c.event.InvolvedObject.Name, got.Source, is, c.want)
		}
		if is && (got.Text != "Normal Started: it began" || !got.Time.Equal(at(7))) {
			t.Errorf("got %+v", got)
		}
	}
}

func TestAnEventThatHappensAgainIsOfItsLastTime(t *testing.T) {
	e := &corev1.Event{FirstTimestamp: metav1.NewTime(at(0)), LastTimestamp: metav1.NewTime(at(9000)), Count: 4}
	e.InvolvedObject = corev1.ObjectReference{Kind: "Pod", Namespace: "team-a", Name: "leader-kill-ab12cd-0"}
	before := eventKey(e)
	line, _ := ofEvent(e, []subject{run})
	if !line.Time.Equal(at(9000)) || !strings.HasSuffix(line.Text, "(4 times)") {
		t.Errorf("got %+v", line)
	}
	e.Count++
	if eventKey(e) == before {
		t.Error("it would not be shown again")
	}
	e.Series = &corev1.EventSeries{Count: 9, LastObservedTime: metav1.NewMicroTime(at(12000))}
	if line, _ := ofEvent(e, []subject{run}); !line.Time.Equal(at(12000)) || !strings.HasSuffix(line.Text, "(9 times)") {
		t.Errorf("got %+v", line)
	}
}

func TestLinesOfTheControllerAboutTheRun(t *testing.T) {
	suite := subject{Name: "leader-kill", Namespace: "team-a", UID: "999-888"}
	for text, want := range map[string]bool{
		`{"msg":"x","controllerKind":"BenchmarkRun","namespace":"team-a","name":"leader-kill"}`:   true,
		`{"msg":"x","controllerKind":"BenchmarkRun","namespace":"team-b","name":"leader-kill"}`:   false,
		`{"msg":"x","controllerKind":"BenchmarkSuite","namespace":"team-a","name":"leader-kill"}`: false,
		`{"msg":"x","controllerKind":"BenchmarkRun","namespace":"team-a","name":"leader-kill-2"}`: false,
		`{"msg":"kept for later","run":"team-a/leader-kill"}`:                                     true,
		`{"msg":"kept for later","run":"team-a/leader-kill-2"}`:                                   false,
		`{"msg":"kept for later","run":"big-team-a/leader-kill"}`:                                 false,
		`E0504 error deleting pod leader-kill-ab12cd-measure-a-0`:                                 true,
		`{"msg":"refused","uid":"1234-5678"}`:                                                     true,
		`{"msg":"Starting workers","controllerKind":"BenchmarkRun"}`:                              false,
		`team-a/leader-kill-2 waits for team-a/leader-kill.`:                                      true,
		`{"msg":"cut off`: false,
		"2026-05-04T03:02:01Z\tDEBUG\twaits {1}\t{\"controllerKind\": \"BenchmarkRun\", \"namespace\": \"team-a\", \"name\": \"leader-kill\"}":   true,
		"2026-05-04T03:02:01Z\tDEBUG\twaits {1}\t{\"controllerKind\": \"BenchmarkRun\", \"namespace\": \"team-a\", \"name\": \"leader-kill-2\"}": false,
	} {
		if got := names(text, run); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
	if line, ok := of(Line{Text: `{"controllerKind":"BenchmarkSuite","namespace":"team-a","name":"leader-kill"}`}, []subject{run, suite}); !ok || line.Run != "leader-kill" {
		t.Error("a suite of the same name is not found")
	}
}

func TestTheControllersLogBeginsWithTheFirstRun(t *testing.T) {
	first, second := subject{Created: at(0)}, subject{Created: at(1)}
	if got := earliest([]subject{second, first}); !got.Equal(at(0)) {
		t.Errorf("got %s", got)
	}
	if got := earliest([]subject{first, {}}); !got.Equal(time.Time{}) {
		t.Errorf("%s, though one was deleted", got)
	}
}
