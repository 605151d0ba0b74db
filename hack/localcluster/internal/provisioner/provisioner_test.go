package provisioner

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

func options(node string) controller.ProvisionOptions {
	reclaim := corev1.PersistentVolumeReclaimDelete
	return controller.ProvisionOptions{
		PVName: "pvc-1", SelectedNodeName: node,
		StorageClass: &storagev1.StorageClass{ReclaimPolicy: &reclaim},
		PVC: &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		}},
	}
}

func TestAVolumeLivesOnItsNodeAndGoesWithItsClaim(t *testing.T) {
	p := &provisioner{layout.Paths{State: t.TempDir()}}
	for range 2 { // a second call for the same volume is harmless
		if _, _, err := p.Provision(context.Background(), options("node2")); err != nil {
			t.Fatal(err)
		}
	}
	pv, _, err := p.Provision(context.Background(), options("node2"))
	if err != nil {
		t.Fatal(err)
	}
	if got := pv.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values; len(got) != 1 || got[0] != "node2" {
		t.Errorf("tied to %v", got)
	}
	info, err := os.Stat(pv.Spec.Local.Path)
	if err != nil || info.Mode().Perm() != 0o777 {
		t.Fatalf("%v %v", info, err)
	}
	if err := p.Delete(context.Background(), pv); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pv.Spec.Local.Path); !os.IsNotExist(err) {
		t.Error("the data is left")
	}
}

func TestAVolumeWithoutANodeIsRefused(t *testing.T) {
	p := &provisioner{layout.Paths{State: t.TempDir()}}
	for _, node := range []string{"", "../../etc", "other"} {
		if _, _, err := p.Provision(context.Background(), options(node)); err == nil {
			t.Errorf("node %q was accepted", node)
		}
	}
}

func TestOnlyVolumeFoldersAreDeleted(t *testing.T) {
	state := t.TempDir()
	precious := filepath.Join(state, "nodes", "node1", "volumes")
	if err := os.MkdirAll(precious, 0o755); err != nil {
		t.Fatal(err)
	}
	p := &provisioner{layout.Paths{State: state}}
	for _, path := range []string{precious, state, "/", precious + "/../../../etc", filepath.Join(state, "elsewhere", "volumes", "pv")} {
		pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}}
		pv.Spec.Local = &corev1.LocalVolumeSource{Path: path}
		if p.Delete(context.Background(), pv) == nil {
			t.Errorf("%s was deleted", path)
		}
	}
	if p.Delete(context.Background(), &corev1.PersistentVolume{}) == nil {
		t.Error("a volume without a path was deleted")
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}
