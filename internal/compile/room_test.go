package compile

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

func TestRecordsThatDontFitAreRefused(t *testing.T) {
	const giB = 1 << 30 / 1000 // records of 1,000 bytes in 1 GiB
	on := func(store, mode string, nodes int32) func(*run) {
		return func(r *run) { r.Spec.Store = v1alpha1.StoreSpec{Name: store, Mode: mode, Nodes: nodes} }
	}
	for name, c := range map[string]struct {
		store func(*run)
		most  int64 // records that are taken
	}{
		"each member of etcd keeps all":           {on("etcd", "", 3), giB},
		"each member of PostgreSQL keeps all":     {on("postgresql", "", 9), giB},
		"a replica of Redis keeps all":            {on("redis", "", 3), giB},
		"a member of Redis Cluster keeps a third": {on("redis", "cluster", 9), 3 * giB},
		"one member of Redis Cluster keeps all":   {on("redis", "cluster", 1), giB},
		"three of nine members have a record":     {on("cassandra", "", 9), 3 * giB},
		"three of three members have it":          {on("cassandra", "", 3), giB},
		"an owner and a backup, of four":          {on("ignite", "atomic-persistent", 4), 2 * giB},
		"an owner and two backups, of three": {func(r *run) {
			on("ignite", "atomic-persistent", 3)(r)
			withValues(`{"settings": {"backups": 2}}`)(r)
		}, giB},
		"a larger volume": {func(r *run) {
			on("etcd", "", 1)(r)
			r.Spec.Store.Storage.Size = ptr(resource.MustParse("10Gi"))
		}, 10 * giB},
		"a cache drops what it has no room for": {on("memcached", "", 3), 1_000_000_000},
		"nobody knows what endpoints have": {func(r *run) {
			on("etcd", "", 1)(r)
			r.Spec.Store.Endpoints = []v1alpha1.EndpointSpec{{Address: "etcd-0.etcd:2379"}}
		}, 1_000_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			for _, records := range []int64{c.most * 99 / 100, c.most*101/100 + 1} {
				_, err := Compile(shortForm(c.store, withWorkloads(v1alpha1.WorkloadSpec{Name: "a", Preset: "A", Records: &records})), nil)
				var refusal *Refusal
				if refused := errors.As(err, &refusal); refused != (records > c.most && c.most < 1_000_000_000) {
					t.Errorf("%d records: %v", records, err)
				}
			}
		})
	}
}
