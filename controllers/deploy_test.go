package controllers

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/internal/plan"
)

func TestAReleaseHasKvbenchsImageWhereMembersNeedItsHelp(t *testing.T) {
	r := &Reconciler{Config: Config{LoadgenImage: "registry/kvbench:1", PullSecrets: []corev1.LocalObjectReference{{Name: "pull"}}}}
	for _, rejoins := range []bool{false, true} {
		p := &plan.Plan{Store: plan.Store{Chart: "etcd", Values: json.RawMessage(`{"nodes":3}`), Rejoins: rejoins}}
		release, err := r.catalogRelease(given().Run, p)
		must(t, err)
		var values struct {
			Nodes  int
			Rejoin *struct {
				Image       string
				PullSecrets []corev1.LocalObjectReference
			}
		}
		must(t, json.Unmarshal(release.Values, &values))
		if values.Nodes != 3 || (values.Rejoin != nil) != rejoins {
			t.Fatalf("%s", release.Values)
		}
		if rejoins && (values.Rejoin.Image != "registry/kvbench:1" || len(values.Rejoin.PullSecrets) != 1 || values.Rejoin.PullSecrets[0].Name != "pull") {
			t.Errorf("%s", release.Values)
		}
	}
}
