//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

const dumpLines = 200

// dump writes what is needed to understand a failed spec. It never fails itself: what it
// can't read, it says.
func dump(ctx context.Context, run *v1alpha1.BenchmarkRun) {
	section("BenchmarkRun " + run.Name)
	last := run.DeepCopy()
	if err := k8s.Get(ctx, client.ObjectKeyFromObject(run), last); err != nil {
		say("reading the run: %v; as last seen:", err)
	}
	last.ManagedFields = nil
	asYAML, err := yaml.Marshal(last)
	say("%s%v", asYAML, orNothing(err))

	dumpEvents(ctx, run)
	for _, ns := range []string{systemNamespace, run.Namespace} {
		dumpPods(ctx, ns)
	}
}

// dumpEvents writes those of the run and of what it made, in the order of time.
func dumpEvents(ctx context.Context, run *v1alpha1.BenchmarkRun) {
	section("Events")
	events := &eventsv1.EventList{}
	if err := k8s.List(ctx, events, client.InNamespace(run.Namespace)); err != nil {
		say("%v", err)
	}
	slices.SortFunc(events.Items, func(a, b eventsv1.Event) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	for _, e := range events.Items {
		if strings.Contains(e.Regarding.Name, run.Name) {
			say("%s  %s/%s  %s: %s", e.CreationTimestamp.Format("15:04:05"), e.Regarding.Kind, e.Regarding.Name, e.Reason, e.Note)
		}
	}
}

func dumpPods(ctx context.Context, namespace string) {
	section("Pods in " + namespace)
	pods := &corev1.PodList{}
	if err := k8s.List(ctx, pods, client.InNamespace(namespace)); err != nil {
		say("%v", err)
	}
	for i := range pods.Items {
		p := &pods.Items[i]
		say("%s  %s  node %s", p.Name, p.Status.Phase, p.Spec.NodeName)
		for _, c := range p.Status.ContainerStatuses {
			say("  %s: ready=%v restarts=%d state=%s last=%s", c.Name, c.Ready, c.RestartCount, state(c.State), state(c.LastTerminationState))
		}
	}
	for i := range pods.Items {
		for _, c := range pods.Items[i].Spec.Containers {
			section("Log of " + pods.Items[i].Name + "/" + c.Name)
			dumpLog(ctx, &pods.Items[i], c.Name)
		}
	}
}

func dumpLog(ctx context.Context, pod *corev1.Pod, container string) {
	log, err := clients.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{
		Container: container, TailLines: ptr.To[int64](dumpLines),
	}).Stream(ctx)
	if err != nil {
		say("%v", err)
		return
	}
	defer log.Close()
	if _, err := io.Copy(GinkgoWriter, log); err != nil {
		say("%v", err)
	}
}

func state(s corev1.ContainerState) string {
	switch {
	case s.Running != nil:
		return "running"
	case s.Waiting != nil:
		return s.Waiting.Reason + " " + s.Waiting.Message
	case s.Terminated != nil:
		return fmt.Sprintf("ended with %d %s %s", s.Terminated.ExitCode, s.Terminated.Reason, s.Terminated.Message)
	}
	return "-"
}

func section(title string)           { say("\n==== %s ====", title) }
func say(format string, args ...any) { fmt.Fprintf(GinkgoWriter, format+"\n", args...) }

func orNothing(err error) any {
	if err == nil {
		return ""
	}
	return err
}
