package objects

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/plan"
)

func TestAReleaseHasKvbenchsImageWhereMembersNeedItsHelp(t *testing.T) {
	r := &Maker{Config: clients.Config{LoadgenImage: "registry/kvbench:1", PullSecrets: []corev1.LocalObjectReference{{Name: "pull"}}}}
	for _, rejoins := range []bool{false, true} {
		p := &plan.Plan{Store: plan.Store{Chart: "etcd", Values: json.RawMessage(`{"nodes":3}`), Rejoins: rejoins}}
		release, err := r.CatalogRelease(statetest.Given().Run, p)
		statetest.Must(t, err)
		var values struct {
			Nodes            int
			Rejoin           *struct{ Image string }
			ImagePullSecrets []corev1.LocalObjectReference
		}
		statetest.Must(t, json.Unmarshal(release.Values, &values))
		if values.Nodes != 3 || (values.Rejoin != nil) != rejoins {
			t.Fatalf("%s", release.Values)
		}
		if rejoins && (values.Rejoin.Image != "registry/kvbench:1" || len(values.ImagePullSecrets) != 1 || values.ImagePullSecrets[0].Name != "pull") {
			t.Errorf("%s", release.Values)
		}
	}
}
