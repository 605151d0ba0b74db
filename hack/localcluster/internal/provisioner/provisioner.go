// Package provisioner makes the persistent volumes of the storage class "local":
// folders of the machine, each tied to the node that its pod was scheduled to.
// So a member keeps its data when its pod is replaced, and loses it with its node.
package provisioner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

// Name of the provisioner, which the storage class names.
const Name = "kvbench.github.io/local"

type provisioner struct{ paths layout.Paths }

// Run serves until ctx ends. It is a process of the machine and no pod: so it
// needs no image, no rights for a pod on the nodes' disks, and outlives any node.
func Run(ctx context.Context, paths layout.Paths) error {
	config, err := clientcmd.BuildConfigFromFlags("", paths.Kubeconfig())
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	c := controller.NewProvisionController(ctx, client, Name, &provisioner{paths},
		controller.LeaderElection(false), controller.Threadiness(2), controller.MetricsPort(0))
	c.Run(ctx)
	return nil
}

// Provision makes the folder. It may be called again for the same volume.
func (p *provisioner) Provision(_ context.Context, o controller.ProvisionOptions) (*corev1.PersistentVolume, controller.ProvisioningState, error) {
	if o.SelectedNodeName == "" {
		return nil, controller.ProvisioningFinished, errors.New("the volume has no node yet: its storage class must have volumeBindingMode WaitForFirstConsumer")
	}
	dir, err := p.dir(o.SelectedNodeName, o.PVName)
	if err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	// Any user may write, as on a fresh disk that kubelet gave to the pod's group.
	if err := os.Chmod(dir, 0o777); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	return volume(o, dir), controller.ProvisioningFinished, nil
}

// volume is of the kind "local" and not "hostPath", because kubelet then honours
// fsGroup as it does on a real disk.
func volume(o controller.ProvisionOptions, dir string) *corev1.PersistentVolume {
	mode := corev1.PersistentVolumeFilesystem
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: o.PVName},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *o.StorageClass.ReclaimPolicy,
			AccessModes:                   o.PVC.Spec.AccessModes,
			VolumeMode:                    &mode,
			Capacity: corev1.ResourceList{
				corev1.ResourceStorage: o.PVC.Spec.Resources.Requests[corev1.ResourceStorage],
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: dir}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{o.SelectedNodeName},
					}},
				}},
			}},
		},
	}
}

// Delete removes the folder with all in it.
func (p *provisioner) Delete(_ context.Context, v *corev1.PersistentVolume) error {
	if v.Spec.Local == nil {
		return fmt.Errorf("the volume %s is not ours: it has no local path", v.Name)
	}
	dir := filepath.Clean(v.Spec.Local.Path)
	nodes := filepath.Join(p.paths.State, "nodes") + "/"
	// The path comes from an API object: never follow it out of our own folders.
	if !strings.HasPrefix(dir, nodes) || filepath.Base(dir) != v.Name || filepath.Base(filepath.Dir(dir)) != "volumes" {
		return fmt.Errorf("refusing to delete %s, which is no volume's folder", dir)
	}
	return os.RemoveAll(dir)
}

func (p *provisioner) dir(node, volume string) (string, error) {
	n, err := p.paths.ParseNode(node, layout.MaxNodes)
	if err != nil {
		return "", err
	}
	return filepath.Join(n.Volumes(), volume), nil
}
