package main

import (
	"slices"
	"strings"
	"testing"
)

func TestChosenAreTheTargetsThatAChangeConcerns(t *testing.T) {
	in := repository{
		deployments: map[string][]string{
			"etcd":  {"etcd, mode linearizable, with 1 members"},
			"redis": {"redis, mode async, with 1 members", "redis, mode cluster, with 3 members"},
		},
		controllers: []string{"charts", "controllers", "controllers/run/decide", "internal/stores", "internal/stores/etcd", "internal/stores/redis", "test/integration"},
		conformance: []string{"internal/stores", "internal/stores/etcd", "internal/stores/redis", "internal/ycsb", "test/conformance"},
		specs:       []string{"cancel_test.go", "late_test.go"},
	}
	for name, c := range map[string]struct {
		changed []string
		want    []string // beside verify and unit tests
	}{
		"a guide":             {[]string{"docs/guide/kind.md"}, nil},
		"a document of tests": {[]string{"docs/reference/events.md"}, []string{"test-controllers"}},
		"the load generator":  {[]string{"internal/loadgen/pacer.go"}, nil},
		"a controller":        {[]string{"controllers/run/decide/decide.go"}, []string{"test-controllers"}},
		"a sample":            {[]string{"config/samples/etcd.yaml"}, []string{"test-controllers"}},
		"a spec of theirs":    {[]string{"test/integration/queue_test.go"}, []string{"test-controllers"}},
		"a package below one": {[]string{"internal/stores/scripted/driver.go"}, nil},
		"data below one":      {[]string{"test/integration/testdata/a.yaml"}, []string{"test-controllers"}},
		"a store's driver": {[]string{"internal/stores/redis/driver.go"},
			[]string{"test-conformance RUN=Test.*(Redis|Valkey)", "test-controllers"}},
		"two stores": {[]string{"internal/stores/redis/driver.go", "internal/stores/etcd/driver.go"},
			[]string{"test-conformance RUN=Test.*(Etcd|Redis|Valkey)", "test-controllers"}},
		"a conformance test":           {[]string{"test/conformance/rediscluster_test.go"}, []string{"test-conformance RUN=Test.*(Redis|Valkey)"}},
		"what conformance tests share": {[]string{"test/conformance/suite.go"}, []string{"test-conformance"}},
		"that and a store's": {[]string{"test/conformance/suite.go", "test/conformance/etcd_test.go"},
			[]string{"test-conformance", "test-conformance RUN=Test.*(Etcd)"}},
		"what stores share":        {[]string{"internal/stores/redial.go"}, []string{"test-conformance", "test-controllers"}},
		"a client on its own":      {[]string{"internal/ycsb/run.go"}, []string{"test-conformance"}},
		"a version of a library":   {[]string{"go.mod"}, []string{"test-conformance", "test-controllers", "test-e2e SPECS=demo_test.go"}},
		"where servers come from":  {[]string{"hack/localcluster/internal/servers/servers.go"}, []string{"test-conformance", "test-e2e SPECS=demo_test.go"}},
		"the operator's chart":     {[]string{"charts/kvbench/values.yaml"}, []string{"test-controllers", "test-e2e SPECS=demo_test.go"}},
		"end-to-end specs":         {[]string{"test/e2e/late_test.go", "test/e2e/cancel_test.go"}, []string{"test-e2e SPECS=cancel_test.go late_test.go"}},
		"what these specs share":   {[]string{"test/e2e/steps_test.go", "test/e2e/late_test.go"}, []string{"test-e2e"}},
		"a spec that is gone":      {[]string{"test/e2e/gone_test.go"}, []string{"test-e2e"}},
		"the catalog's specs":      {[]string{"test/e2e/catalog_test.go"}, []string{"test-catalog STORES=etcd, mode linearizable, with 1 members"}},
		"a program and some specs": {[]string{"cmd/kvbench/main.go", "test/e2e/late_test.go"}, []string{"test-e2e SPECS=demo_test.go late_test.go"}},
		"a store's chart": {[]string{"charts/stores/redis/templates/statefulset.yaml", "charts/stores/redis/values.yaml"}, []string{
			"test-conformance RUN=Test.*(Redis|Valkey)", "test-controllers",
			"test-catalog STORES=redis, mode async, with 1 members|redis, mode cluster, with 3 members",
		}},
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
