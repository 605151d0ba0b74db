package objects

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/internal/plan"
)

// filesFolder is where a pod has the run's files.
const filesFolder = "/etc/kvbench-files"

// giveFiles mounts the run's files into a Job's pods.
func giveFiles(job *batchv1.Job, p *plan.Plan) {
	if len(p.Files) == 0 {
		return
	}
	pod := &job.Spec.Template.Spec
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: "files", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: names.FilesName(p.Run.ID)}}}})
	container := &pod.Containers[0]
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: "files", MountPath: filesFolder, ReadOnly: true})
	container.Command = append(container.Command, "--files", filesFolder)
}
