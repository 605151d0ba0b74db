package controllers

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

func secure(o *observed) {
	o.Plan.Store.Driver, o.Plan.Store.Security, o.Plan.Store.Secret = "etcd", stores.SecurityTLS, "run-1-credentials"
}

// A worker that is broken into has what any client has, and no member's key.
func TestClientsGetTheirPartOfTheSecret(t *testing.T) {
	for _, situation := range [][]situation{{planned}, {planned, secure}} {
		for role, template := range templates(given(situation...)) {
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
	o := given(planned, secure)
	secret, err := secretObject(o.Run, o.Plan, o.Now)
	if err != nil {
		t.Fatal(err)
	}
	if !madeFor(o.Run, secret) || *secret.Immutable != true || *secret.OwnerReferences[0].BlockOwnerDeletion {
		t.Errorf("%+v", secret.ObjectMeta)
	}
	if len(secret.Data[stores.FilePassword]) == 0 || len(secret.Data[stores.FileCA]) == 0 {
		t.Errorf("it has %d files", len(secret.Data))
	}
}

func TestCertificatesNameWhatClientsConnectTo(t *testing.T) {
	o := given(planned, secure)
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
	o := given(planned, secure, endpoints)
	o.Plan.Store.Existing = true
	volumes := templates(o)[roleWorker].Spec.Volumes
	secret := volumes[len(volumes)-1].Secret
	want := []corev1.KeyToPath{
		{Key: "username", Path: "username"}, {Key: "password", Path: "password"}, {Key: "ca.crt", Path: "ca.crt"},
		{Key: "tls.crt", Path: "client.crt"}, {Key: "tls.key", Path: "client.key"},
	}
	if !slices.Equal(secret.Items, want) || !*secret.Optional {
		t.Errorf("%+v", secret)
	}
}

func TestWrongCredentialsSayWhatToCorrect(t *testing.T) {
	refused := &bundle.TopologyLine{Members: []stores.MemberState{
		{Name: "a", Healthy: true}, {Name: "b", Error: stores.CodeUnauthorized + ": x509: certificate signed by unknown authority"},
	}}
	away := &bundle.TopologyLine{Members: []stores.MemberState{{Name: "b", Error: "Unavailable: connection refused"}}}
	ofChart := func(o *observed) { o.Run.Spec.Store.Chart = &v1alpha1.ChartSpec{} }
	ofHazelcast := func(o *observed) { o.Run.Spec.Store.Driver = "hazelcast" }
	for name, c := range map[string]struct {
		store  situation
		line   *bundle.TopologyLine
		secret string
		says   []string // what comes first, and what else
	}{
		"a chart's":      {ofChart, refused, "", []string{"spec.store.chart: the members of ours ask for credentials", "no credentials for a chart yet: turn them off by a value", "b is not well: Unauthorized"}},
		"no such level":  {ofHazelcast, refused, "", []string{"spec.store.endpoints: the members of ours ask for credentials", "hazelcast has no spec.store.security", "turn them off"}},
		"wrong ones":     {endpoints, refused, "mine", []string{"spec.store.securitySecret: the members of ours and the Secret mine", "correct the Secret", "b is not well: Unauthorized"}},
		"none":           {endpoints, refused, "", []string{"spec.store.security: the members of ours ask for credentials", "set it", "b is not well"}},
		"something else": {endpoints, away, "mine", []string{"b is not well: Unavailable"}},
	} {
		o := given(planned, endpoints, c.store)
		o.Run.Spec.Store.Name, o.Run.Spec.Store.SecuritySecret = "ours", c.secret
		said := unsteady(o.Run, c.line)
		for i, part := range c.says {
			if at := strings.Index(said, part); at < 0 || i == 0 && at > 0 {
				t.Errorf("%s: %s", name, said)
			}
		}
	}
}
