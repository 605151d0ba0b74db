package objects

import (
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// KeyOf is the key of a file of credentials in the plan's Secret. One of somebody's own has the
// names of a Secret of the type kubernetes.io/tls.
func KeyOf(p *plan.Plan, file string) string {
	if p.Store.Existing {
		switch file {
		case stores.FileClientCert:
			return corev1.TLSCertKey
		case stores.FileClientKey:
			return corev1.TLSPrivateKeyKey
		}
	}
	return file
}

// Secret has new credentials each time.
func Secret(run *v1alpha1.BenchmarkRun, p *plan.Plan, now time.Time) (*corev1.Secret, error) {
	entry, ok := catalog.Find(p.Store.Driver)
	if !ok {
		return nil, fmt.Errorf("making credentials: the plan's store %s is not in the catalog", p.Store.Driver)
	}
	files, err := credentials.Make(p.Store.Security, entry.Security.User, hostsOf(p), now)
	if err != nil {
		return nil, err
	}
	secret := &corev1.Secret{ObjectMeta: names.ObjectMeta(run, p.Store.Secret, names.RoleSecret), Immutable: ptr.To(true), Data: files}
	// The service account may not update the run's finalizers, which blocking would ask for.
	secret.OwnerReferences[0].BlockOwnerDeletion = ptr.To(false)
	return secret, nil
}

// hostsOf are the names that clients and members call the members by.
func hostsOf(p *plan.Plan) []string {
	hosts := []string{
		fmt.Sprintf("%s.%s.svc", p.Run.ID, p.Run.Namespace), // the Service
	}
	for _, member := range p.Store.Members {
		if host, _, err := net.SplitHostPort(member.Address); err == nil {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// credentialsFolder is where a pod of the run has what the store asks for.
const credentialsFolder = "/etc/kvbench-credentials"

// giveCredentials mounts the clients' part of the Secret: no pod has more of it than it needs.
func giveCredentials(pod *corev1.PodSpec, p *plan.Plan) {
	if p.Store.Secret == "" {
		return
	}
	var items []corev1.KeyToPath
	for _, file := range stores.CredentialFiles(p.Store.Security) {
		items = append(items, corev1.KeyToPath{Key: KeyOf(p, file), Path: file})
	}
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: "credentials", VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{
			SecretName: p.Store.Secret, Items: items, DefaultMode: ptr.To[int32](0o440),
			// Endpoints may ask for less. What is missing the pod says, if it is needed.
			Optional: ptr.To(p.Store.Existing),
		}}})
	container := &pod.Containers[0]
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: "credentials", MountPath: credentialsFolder, ReadOnly: true})
}
