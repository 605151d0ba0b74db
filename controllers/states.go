package controllers

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kvbench/kvbench/internal/helm"
)

type runtimeObject = runtime.Object

func stateOfRelease(state helm.State) releaseState {
	switch state.Status {
	case helm.Absent:
		return releaseAbsent
	case helm.Deployed:
		return releaseDeployed
	}
	return releaseBroken
}

func stateOfJob(job *batchv1.Job, pods []corev1.Pod, now time.Time) jobState {
	state := jobState{Exists: true, Deleting: !job.DeletionTimestamp.IsZero(), Age: now.Sub(job.CreationTimestamp.Time)}
	for _, condition := range job.Status.Conditions {
		if condition.Status != corev1.ConditionTrue {
			continue
		}
		switch condition.Type {
		case batchv1.JobComplete:
			state.Complete = true
		case batchv1.JobFailed, batchv1.JobFailureTarget:
			state.Failed = true
			state.TimedOut = condition.Reason == batchv1.JobReasonDeadlineExceeded
			if !state.TimedOut {
				state.Message = condition.Message
			}
		}
	}
	var most testimony
	for i := range pods {
		if pods[i].Labels[batchv1.JobNameLabel] != job.Name {
			continue
		}
		said := testimonyOf(&pods[i])
		switch {
		case isReady(&pods[i]):
			state.ReadyPods++
		case state.TimedOut && said.weight == removed && hasRun(&pods[i]):
			// It was deleted since the Job's time was over.
		case said.weighsMore(most):
			most = said
		}
		state.Troubles = append(state.Troubles, troubleOfPod(&pods[i], nil)...)
		if !isReady(&pods[i]) && pods[i].DeletionTimestamp.IsZero() {
			state.StartingPods++
		}
	}
	if most.words != "" && !state.Complete {
		state.Message = most.words
	}
	return state
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

func troubleOfDeployment(deployment *appsv1.Deployment) []podTrouble {
	refusal := refusalOf(deployment)
	if refusal == "" {
		return nil
	}
	return []podTrouble{{Of: deployment.UID, Kind: podRefused, Words: cut(refusal, maxTroubleWords)}}
}

func countWorkers(pods []corev1.Pod) int {
	count := 0
	for i := range pods {
		ended := pods[i].Status.Phase == corev1.PodSucceeded || pods[i].Status.Phase == corev1.PodFailed
		if pods[i].Labels[labelRole] == roleWorker && !ended {
			count++
		}
	}
	return count
}

func stateOfStore(pods []corev1.Pod, claims []corev1.PersistentVolumeClaim) storeState {
	var state storeState
	for i := range pods {
		pod := &pods[i]
		switch role := pod.Labels[labelRole]; {
		case role == roleStore && isReady(pod):
			state.ReadyMembers++
		case role == roleObserver && isReady(pod):
			state.ObserverReady = true
		case role == roleStore || role == roleObserver:
			state.Trouble = firstOf(state.Trouble, testimonyOf(pod).words)
			state.Troubles = append(state.Troubles, troubleOfPod(pod, claims)...)
		}
	}
	return state
}

func isReady(pod *corev1.Pod) bool {
	if !pod.DeletionTimestamp.IsZero() {
		return false
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
