package observe

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/pods"
	"github.com/kvbench/kvbench/controllers/run/state"
)

func stateOfJob(job *batchv1.Job, podList []corev1.Pod, now time.Time) state.Job {
	found := state.Job{Exists: true, Deleting: !job.DeletionTimestamp.IsZero(), Age: now.Sub(job.CreationTimestamp.Time)}
	for _, condition := range job.Status.Conditions {
		if condition.Status != corev1.ConditionTrue {
			continue
		}
		switch condition.Type {
		case batchv1.JobComplete:
			found.Complete = true
		case batchv1.JobFailed, batchv1.JobFailureTarget:
			found.Failed = true
			found.TimedOut = condition.Reason == batchv1.JobReasonDeadlineExceeded
			if !found.TimedOut {
				found.Message = condition.Message
			}
		}
	}
	var most pods.Cause
	for i := range podList {
		if podList[i].Labels[batchv1.JobNameLabel] != job.Name {
			continue
		}
		said := pods.CauseOf(&podList[i])
		switch {
		case pods.IsReady(&podList[i]):
			found.ReadyPods++
		case found.TimedOut && said.Weight == pods.Removed && pods.HasRun(&podList[i]):
			// It was deleted since the Job's time was over.
		case said.WeighsMore(most):
			most = said
		}
		found.Troubles = append(found.Troubles, pods.TroubleOfPod(&podList[i], nil)...)
		if !pods.IsReady(&podList[i]) && podList[i].DeletionTimestamp.IsZero() {
			found.StartingPods++
		}
	}
	if most.Words != "" && !found.Complete {
		found.Message = most.Words
	}
	return found
}

// refusalOf is why a Deployment's pods can't even be made: a quota, a limit range, Pod Security or a
// webhook judges pods, and what it says of these it mostly says of the store's as well, which have no
// place for it but events.
func refusalOf(deployment *appsv1.Deployment) string {
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == appsv1.DeploymentReplicaFailure && condition.Status == corev1.ConditionTrue {
			return "its observer's pod is refused: " + condition.Message
		}
	}
	return ""
}

func troubleOfDeployment(deployment *appsv1.Deployment) []state.PodTrouble {
	refusal := refusalOf(deployment)
	if refusal == "" {
		return nil
	}
	return []state.PodTrouble{{Of: deployment.UID, Kind: state.PodRefused, Words: message.Cut(refusal, pods.MaxTroubleWords)}}
}

func countWorkers(pods []corev1.Pod) int {
	count := 0
	for i := range pods {
		ended := pods[i].Status.Phase == corev1.PodSucceeded || pods[i].Status.Phase == corev1.PodFailed
		if pods[i].Labels[names.LabelRole] == names.RoleWorker && !ended {
			count++
		}
	}
	return count
}

func stateOfStore(podList []corev1.Pod, claims []corev1.PersistentVolumeClaim) state.Store {
	var found state.Store
	for i := range podList {
		pod := &podList[i]
		switch role := pod.Labels[names.LabelRole]; {
		case role == names.RoleStore && pods.IsReady(pod):
			found.ReadyMembers++
		case role == names.RoleObserver && pods.IsReady(pod):
			found.ObserverReady = true
		case role == names.RoleStore || role == names.RoleObserver:
			found.Trouble = message.FirstOf(found.Trouble, pods.CauseOf(pod).Words)
			found.Troubles = append(found.Troubles, pods.TroubleOfPod(pod, claims)...)
		}
	}
	return found
}
