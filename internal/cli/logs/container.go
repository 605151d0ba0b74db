package logs

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// container is one life of a container of a pod: each start has a log of its own.
type container struct {
	Namespace, Pod, Name string
	// Key is the same for the same life, however often the pod is looked at.
	Key string
	// Previous says that the API server has its log as that of the life before.
	Previous bool
	// Running says that its log may still grow.
	Running bool
	// Kept says that it runs, and that nobody has asked for its end.
	Kept bool
	// Like is a line of it, without time and text.
	Like Line
}

// containersOf are the lives of the pod's containers whose logs may be had: of each container the one before the last start
// first. A container that waits for its first start has none.
func containersOf(pod *corev1.Pod, like Line) (found []container) {
	statuses := slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
	for i := range statuses {
		status := &statuses[i]
		like := like
		like.Pod, like.Container = pod.Name, status.Name
		if len(pod.Spec.Containers) == 0 || status.Name != pod.Spec.Containers[0].Name {
			like.Source += "/" + status.Name
		}
		life := func(start int32, previous, running bool) {
			found = append(found, container{Namespace: pod.Namespace, Pod: pod.Name, Name: status.Name, Previous: previous, Running: running, Like: like,
				Kept: running && pod.DeletionTimestamp == nil, Key: strings.Join([]string{string(pod.UID), status.Name, strconv.Itoa(int(start))}, "/")})
		}
		now, before := status.State, status.LastTerminationState.Terminated
		switch {
		case now.Running != nil, now.Terminated != nil:
			if before != nil {
				life(status.RestartCount-1, true, false)
			}
			life(status.RestartCount, false, now.Running != nil)
		case before != nil: // it waits for its next start, which isn't counted yet
			life(status.RestartCount, true, false)
		}
	}
	return found
}

// sourceOf is a line of a pod of the run, without what differs between its containers. It is false for a pod of another role.
func sourceOf(pod *corev1.Pod, s subject) (Line, bool) {
	role, known := roles[pod.Labels[labelRole]]
	line := Line{Run: s.Name, Role: role, Source: string(role)}
	switch short := s.short(pod.Name); role {
	case Member:
		line.Source += " " + short
	case Worker:
		line.Source += " " + withoutSuffix(short)
	}
	return line, known
}

// withoutSuffix leaves out what a Job puts behind the names of its pods at random.
func withoutSuffix(name string) string {
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		return name[:at]
	}
	return name
}
