package objects

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/stores"
)

// A worker that is broken into has what any client has, and no member's key.
func TestClientsGetTheirPartOfTheSecret(t *testing.T) {
	for _, situation := range [][]statetest.Situation{{statetest.Planned}, {statetest.Planned, statetest.Secure}} {
		for role, template := range templates(statetest.Given(situation...)) {
			volumes := slices.DeleteFunc(slices.Clone(template.Spec.Volumes), func(v corev1.Volume) bool { return v.Secret == nil })
			mounted := slices.ContainsFunc(template.Spec.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool {
				return m.Name == "credentials" && m.MountPath == credentialsFolder && m.ReadOnly
			})
			if len(situation) == 1 {
				if len(volumes) > 0 || mounted {
					t.Errorf("%s: %+v without security", role, volumes)
				}
				continue
			}
			if len(volumes) != 1 || !mounted {
				t.Fatalf("%s: %+v, mounted %v", role, volumes, mounted)
			}
			secret := volumes[0].Secret
			var keys []string
			for _, item := range secret.Items {
				keys = append(keys, item.Key)
			}
			if want := stores.CredentialFiles(stores.SecurityTLS); secret.SecretName != "run-1-credentials" || !slices.Equal(keys, want) || *secret.DefaultMode != 0o440 {
				t.Errorf("%s: %+v, want %v", role, secret, want)
			}
		}
	}
}

func TestTheSecretIsTheRunsAndNeverChanges(t *testing.T) {
	o := statetest.Given(statetest.Planned, statetest.Secure)
	secret, err := Secret(o.Run, o.Plan, o.Now)
	if err != nil {
		t.Fatal(err)
	}
	if !names.MadeFor(o.Run, secret) || *secret.Immutable != true || *secret.OwnerReferences[0].BlockOwnerDeletion {
		t.Errorf("%+v", secret.ObjectMeta)
	}
	if len(secret.Data[stores.FilePassword]) == 0 || len(secret.Data[stores.FileCA]) == 0 {
		t.Errorf("it has %d files", len(secret.Data))
	}
}

func TestCertificatesNameWhatClientsConnectTo(t *testing.T) {
	o := statetest.Given(statetest.Planned, statetest.Secure)
	for i := range o.Plan.Store.Members {
		o.Plan.Store.Members[i].Address = o.Plan.Store.Members[i].Name + ".m.bench.svc:2379"
	}
	want := []string{o.Plan.Run.ID + ".bench.svc", "m-0.m.bench.svc", "m-1.m.bench.svc", "m-2.m.bench.svc"}
	if got := hostsOf(o.Plan); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A Secret of somebody's own has the keys that Kubernetes gives to certificates, and may have no
// more than what its store asks for.
func TestTheSecretOfEndpointsHasKubernetesKeys(t *testing.T) {
	o := statetest.Given(statetest.Planned, statetest.Secure, statetest.Endpoints)
	o.Plan.Store.Existing = true
	volumes := templates(o)[names.RoleWorker].Spec.Volumes
	secret := volumes[len(volumes)-1].Secret
	want := []corev1.KeyToPath{
		{Key: "username", Path: "username"}, {Key: "password", Path: "password"}, {Key: "ca.crt", Path: "ca.crt"},
		{Key: "tls.crt", Path: "client.crt"}, {Key: "tls.key", Path: "client.key"},
	}
	if !slices.Equal(secret.Items, want) || !*secret.Optional {
		t.Errorf("%+v", secret)
	}
}
