package main

import (
	"slices"
	"strings"
	"testing"
)

func TestChosenAreTheTargetsThatAChangeConcerns(t *testing.T) {
	in := repository{
		stores:      []string{"cassandra", "etcd", "redis"},
		controllers: []string{"charts", "config/crd", "controllers", "internal/stores", "internal/stores/etcd", "test/integration"},
	}
	for name, c := range map[string]struct {
		changed []string
		want    []string // beside verify and unit tests
	}{
		"a document":          {[]string{"docs/stores.md"}, nil},
		"the load generator":  {[]string{"internal/loadgen/pacer.go"}, nil},
		"a controller":        {[]string{"controllers/decide.go"}, []string{"test-controllers"}},
		"a spec of theirs":    {[]string{"test/integration/queue_test.go"}, []string{"test-controllers"}},
		"a package beside it": {[]string{"controllers/run/decide.go"}, nil},
		"a store's driver": {[]string{"internal/stores/redis/driver.go"},
			[]string{"test-conformance RUN=^Test(Redis|Valkey)"}},
		"a driver that the controllers import": {[]string{"internal/stores/etcd/driver.go"},
			[]string{"test-conformance RUN=^Test(Etcd)", "test-controllers"}},
		"a conformance test":           {[]string{"test/conformance/rediscluster_test.go"}, []string{"test-conformance RUN=^Test(Redis|Valkey)"}},
		"what conformance tests share": {[]string{"test/conformance/suite.go", "test/conformance/etcd_test.go"}, []string{"test-conformance"}},
		"what stores share":            {[]string{"internal/stores/redial.go"}, []string{"test-conformance", "test-controllers"}},
		"a store of Java": {[]string{"internal/stores/cassandra/session.go"},
			[]string{"test-conformance RUN=^Test(Cassandra)"}},
		"a chart": {[]string{"charts/stores/redis/templates/statefulset.yaml", "charts/stores/redis/values.yaml"}, []string{
			"test-conformance RUN=^Test(Redis|Valkey)", "test-controllers",
			"test-catalog STORES=(redis|valkey), mode .*, with [13] members",
		}},
		"end-to-end specs": {[]string{"test/e2e/late_test.go", "test/e2e/cancel_test.go"}, []string{"test-e2e SPECS=cancel_test.go late_test.go"}},
		"the cluster":      {[]string{"hack/localcluster/internal/cluster/up.go"}, []string{"cluster"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, target := range choose(c.changed, in) {
				got = append(got, strings.Join(append([]string{target.name}, target.variables...), " "))
			}
			if want := append([]string{"verify", "test-unit"}, c.want...); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
