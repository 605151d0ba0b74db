package decide

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

func TestWrongCredentialsSayWhatToCorrect(t *testing.T) {
	refused := &bundle.TopologyLine{Members: []stores.MemberState{
		{Name: "a", Healthy: true}, {Name: "b", Error: stores.CodeUnauthorized + ": x509: certificate signed by unknown authority"},
	}}
	away := &bundle.TopologyLine{Members: []stores.MemberState{{Name: "b", Error: "Unavailable: connection refused"}}}
	ofChart := func(o *state.Observed) { o.Run.Spec.Store.Chart = &v1alpha1.ChartSpec{} }
	ofHazelcast := func(o *state.Observed) { o.Run.Spec.Store.Driver = "hazelcast" }
	for name, c := range map[string]struct {
		store  statetest.Situation
		line   *bundle.TopologyLine
		secret string
		says   []string // what comes first, and what else
	}{
		"a chart's":      {ofChart, refused, "", []string{"spec.store.chart: the members of ours ask for credentials", "no credentials for a chart yet: turn them off by a value", "b is not well: Unauthorized"}},
		"no such level":  {ofHazelcast, refused, "", []string{"spec.store.endpoints: the members of ours ask for credentials", "hazelcast has no spec.store.security", "turn them off"}},
		"wrong ones":     {statetest.Endpoints, refused, "mine", []string{"spec.store.securitySecret: the members of ours and the Secret mine", "correct the Secret", "b is not well: Unauthorized"}},
		"none":           {statetest.Endpoints, refused, "", []string{"spec.store.security: the members of ours ask for credentials", "set it", "b is not well"}},
		"something else": {statetest.Endpoints, away, "mine", []string{"b is not well: Unavailable"}},
	} {
		o := statetest.Given(statetest.Planned, statetest.Endpoints, c.store)
		o.Run.Spec.Store.Name, o.Run.Spec.Store.SecuritySecret = "ours", c.secret
		said := unsteady(o.Run, c.line)
		for i, part := range c.says {
			if at := strings.Index(said, part); at < 0 || i == 0 && at > 0 {
				t.Errorf("%s: %s", name, said)
			}
		}
	}
}
