package compile

import (
	"strings"
	"testing"

	"encoding/json"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// brought is a run of three members of a chart in a ConfigMap.
func brought(edits ...func(*v1alpha1.StoreSpec)) func(*run) {
	return func(r *run) {
		r.Spec.Store = v1alpha1.StoreSpec{Name: "mine", Driver: "raft", Nodes: 3, Chart: &v1alpha1.ChartSpec{
			ConfigMap: &v1alpha1.ConfigMapKeyRef{Name: "charts", Key: "mine.tgz"},
		}}
		for _, edit := range edits {
			edit(&r.Spec.Store)
		}
	}
}

func TestAnOwnChartIsDeployedAndItsMembersAreFoundByName(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*v1alpha1.StoreSpec)
		want string
	}{
		"as the catalog's charts do": {func(*v1alpha1.StoreSpec) {}, `{"name":"mine","driver":"raft","mode":"linearizable","promise":"Linearizable",` +
			`"ownChart":{"source":"ConfigMap charts, mine.tgz","name":"","version":"","sha256":"","bytes":0},"values":{},` +
			`"container":"server","consensus":true,"persistent":false,"members":[` +
			`{"index":0,"name":"ID-0","address":"ID-0.ID.bench.svc:1234"},{"index":1,"name":"ID-1","address":"ID-1.ID.bench.svc:1234"},` +
			`{"index":2,"name":"ID-2","address":"ID-2.ID.bench.svc:1234"}]}`},
		"as it is said": {func(s *v1alpha1.StoreSpec) {
			s.Nodes, s.Container = 1, "etcd"
			s.Chart.ConfigMap, s.Chart.OCI = nil, &v1alpha1.OCIChartSpec{URL: "oci://registry.example/charts/mine", Version: "1.2.3"}
			s.Chart.Members = &v1alpha1.ChartMembersSpec{Pod: "{release}-etcd-{index}", Service: "{release}-headless", Port: ptr(int32(2379))}
			s.Chart.Ready = []v1alpha1.ChartReadySpec{
				{APIVersion: "a.io/v1", Kind: "A", Condition: "Available"}, {APIVersion: "b.io/v1", Kind: "B", Name: "{release}-b", Field: "phase", Equals: "Running"},
			}
		}, `{"name":"mine","driver":"raft","mode":"linearizable","promise":"Linearizable",` +
			`"ownChart":{"source":"oci://registry.example/charts/mine:1.2.3","name":"","version":"","sha256":"","bytes":0,"ready":[` +
			`{"apiVersion":"a.io/v1","kind":"A","name":"ID","condition":"Available","status":"True"},{"apiVersion":"b.io/v1","kind":"B","name":"ID-b","field":"phase","equals":"Running"}]},` +
			`"values":{},"container":"etcd","consensus":true,"persistent":false,"members":[{"index":0,"name":"ID-etcd-0","address":"ID-etcd-0.ID-headless.bench.svc:2379"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustCompile(t, brought(c.edit))
			got, err := json.Marshal(p.Store)
			if want := strings.ReplaceAll(c.want, "ID", p.Run.ID); err != nil || string(got) != want {
				t.Errorf("%v\n%s, want\n%s", err, got, want)
			}
		})
	}
}

func TestAnOwnChartGetsTheRunsValuesAndNoOthers(t *testing.T) {
	for name, c := range map[string]struct{ path, values, want string }{
		"none":                  {"", "", `{}`},
		"those of other charts": {"", `{"nodes":7,"storage":{"a":1},"image":{"tag":"x"}}`, `{"image":{"tag":"x"},"nodes":7,"storage":{"a":1}}`},
		"the number of nodes":   {"replicaCount", `{"a":null}`, `{"a":null,"replicaCount":3}`},
		"the number, deeper":    {"cluster.size", `{"cluster":{"name":"x"}}`, `{"cluster":{"name":"x","size":3}}`},
	} {
		t.Run(name, func(t *testing.T) {
			edits := []func(*run){brought(func(s *v1alpha1.StoreSpec) { s.Chart.NodesValue = c.path })}
			if c.values != "" {
				edits = append(edits, withValues(c.values))
			}
			if got := string(mustCompile(t, edits...).Store.Values); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestAnOwnChartThatCannotBeIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		edit         func(*v1alpha1.StoreSpec)
		values       string
		reason, want string
	}{
		"an unknown driver": {func(s *v1alpha1.StoreSpec) { s.Driver = "raffft" }, "", ReasonUnknownStore, `did you mean "raft"?`},
		"security":          {func(s *v1alpha1.StoreSpec) { s.Security = v1alpha1.SecurityTLS }, "", ReasonUnsupportedSecurity, "spec.store.security: there are no credentials for a chart yet: leave it out"},
		"nodes set twice":   {func(s *v1alpha1.StoreSpec) { s.Chart.NodesValue = "a.b" }, `{"a":{"b":1}}`, ReasonInvalidValues, "spec.store.values.a.b: spec.store.chart.nodesValue"},
		"a long pod": {func(s *v1alpha1.StoreSpec) {
			s.Chart.Members = &v1alpha1.ChartMembersSpec{Pod: "{release}-{release}-{release}-{release}-{release}-{index}"}
		}, "", ReasonInvalidChart, "spec.store.chart.members.pod: makes the name"},
		"a service that ends badly": {func(s *v1alpha1.StoreSpec) { s.Chart.Members = &v1alpha1.ChartMembersSpec{Service: "{release}-"} }, "", ReasonInvalidChart, "spec.store.chart.members.service"},
		"a resource of no name": {func(s *v1alpha1.StoreSpec) {
			s.Chart.Ready = []v1alpha1.ChartReadySpec{{APIVersion: "a.io/v1", Kind: "A", Name: "-{release}", Condition: "Available"}}
		}, "", ReasonInvalidChart, "spec.store.chart.ready[0].name"},
	} {
		t.Run(name, func(t *testing.T) {
			edits := []func(*run){brought(c.edit)}
			if c.values != "" {
				edits = append(edits, withValues(c.values))
			}
			_, err := With(shortForm(edits...), nil, testCatalog())
			refusal, ok := err.(*Refusal)
			if !ok || refusal.Reason != c.reason || !strings.Contains(refusal.Message, c.want) {
				t.Errorf("%v, want %s with %q", err, c.reason, c.want)
			}
		})
	}
}
