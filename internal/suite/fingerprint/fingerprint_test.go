package fingerprint

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/internal/report"
)

func run(change ...func(*report.Report)) *report.Report {
	r := &report.Report{
		Kvbench: "v1",
		Store: report.Store{
			Name: "etcd", Mode: "linearizable", Promise: "linearizable", Version: "v3.6", Persistent: ptr.To(true), Members: []string{"a-0", "a-1"},
			Values: map[string]any{
				"nodes": 3.0, "security": map[string]any{"secret": "of-this-run"}, "image": map[string]any{"tag": "v3.6", "repository": "etcd"},
				"settings": map[string]any{"a/b": 1.0, "none": map[string]any{}},
			},
		},
		Workloads: []report.Workload{{Name: "a", Preset: "A", DurationMicros: 5, Properties: map[string]string{"fieldlength": "100"}, Load: report.Load{Rate: 500, Model: "open"}}},
	}
	for _, do := range change {
		do(r)
	}
	return r
}

func TestOnlyWhatDiffersIsNamed(t *testing.T) {
	for what, c := range map[string]struct {
		change func(*report.Report)
		want   string
	}{
		"the members' names": {func(r *report.Report) { r.Store.Members = []string{"b-0", "b-1"}; r.Run.Name = "other"; r.Seed = 9 }, ""},
		"the tag, which is the version's": {func(r *report.Report) {
			r.Store.Values = map[string]any{"image": map[string]any{"tag": "v9", "repository": "etcd"}, "settings": r.Store.Values["settings"]}
		}, ""},
		"the version":           {func(r *report.Report) { r.Store.Version = "v3.5" }, "/store/version v3.6 v3.5"},
		"the number of members": {func(r *report.Report) { r.Store.Members = r.Store.Members[:1] }, "/store/nodes 2 1"},
		"a setting": {func(r *report.Report) {
			r.Store.Values = map[string]any{"image": map[string]any{"repository": "etcd"}, "settings": map[string]any{"a/b": 2.0, "none": map[string]any{}}}
		}, "/store/values/settings/a~1b 1 2"},
		"a setting that only one has": {func(r *report.Report) {
			r.Store.Values = map[string]any{"image": map[string]any{"repository": "etcd"}, "settings": map[string]any{"a/b": 1.0}}
		}, "/store/values/settings/none {} "},
		"a property":            {func(r *report.Report) { r.Workloads[0].Properties = map[string]string{"fieldlength": "200"} }, "/workloads/0/properties/fieldlength 100 200"},
		"kvbench":               {func(r *report.Report) { r.Kvbench = "v2" }, "/kvbench v1 v2"},
		"another workload":      {func(r *report.Report) { r.Workloads = nil }, "/workloads/0/duration 5 "},
		"a bound of operations": {func(r *report.Report) { r.Workloads[0].Load.RequestedOperations = 7 }, "/workloads/0/duration 5 "},
	} {
		found := Differences(Of(run()), Of(run(c.change)))
		got := ""
		if len(found) > 0 {
			got = found[0].Field + " " + found[0].Value + " " + found[0].Against
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

func TestAPointerCoversWhatItMeans(t *testing.T) {
	for _, c := range []struct {
		pointer, field string
		want           bool
	}{
		{"/store/mode", "/store/mode", true},
		{"/store/mode", "/store/promise", false},
		{"/store", "/store/promise", true},
		{"/store/", "/store/promise", true},
		{"/store/mod", "/store/mode", false},
		{"/load/rate", "/workloads/0/load/rate", true},
		{"/load/rate", "/workloads/12/load/maxInFlight", true},
		{"/load/rate", "/workloads/0/load/threads", false},
		{"/load", "/workloads/0/load/threads", true},
		{"/workloads/0/load/rate", "/workloads/0/load/maxInFlight", true},
		{"/workloads/0/load/rate", "/workloads/1/load/rate", false},
		{"/workloads/0/preset", "/workloads/0/properties/readproportion", true},
		{"/workloads/1/preset", "/workloads/0/properties/readproportion", false},
		{"/workloads", "/workloads/0/records", true},
		{"/workloads/0", "/workloads/0/records", true},
		{"/store/resources/memory", "/store/values/resources/limits/memory", true},
		{"/store/resources", "/store/values/resources/limits/memory", true},
		{"/preset", "/workloads/0/preset", false},
		{"/load/rateShape/ramp/to", "/workloads/3/load/rateShape", true},
		{"/load/rateShape/schedule", "/files/day.csv", true},
		{"/workloads/0/trace/stretch", "/workloads/0/trace", true},
		{"/workloads/0/trace/stretch", "/workloads/1/trace", false},
		{"/workloads/0/trace/configMapKeyRef/key", "/files/day.csv", true},
		{"/workloads/0/fieldLengthHistogram", "/files/lengths", true},
		{"/store/chart/oci/version", "/store/chart", true},
		{"/store/chart/oci/version", "/store/values/nodes", false},
		{"/load/workers", "/workloads/0/load/maxInFlight", true},
		{"/load/workers", "/files/day.csv", false},
		{"/placement", "/placement/members/nodeSelector/pool", true},
		{"/placement/workers", "/placement/members/spread", false},
		{"/placement", "/environment/members/machines", true},
		{"/placement/members/nodeSelector", "/environment/members/machines", true},
		{"/placement/members/nodeSelector", "/environment/workers/machines", false},
		{"/store/version", "/environment/members/images", true},
		{"/store", "/environment/members/images", true},
		{"/store", "/environment/members/machines", true}, // of another chart
		{"/store/mode", "/environment/members/images", false},
		{"/store/name", "/workloads/0/load/updateWrites", true},
		{"/store", "/workloads/5/load/warmup", true},
		{"/store", "/workloads/0/load/threads", false},
		{"/store/version", "/workloads/0/load/updateWrites", false},
		{"/store/storage/className", "/environment/members/storageClass", true},
		{"/kvbench", "/environment/workers/images", true},
		{"/environment", "/environment/workers/images", true},
		{"/workloads/0/clients/0/threads", "/workloads/0/clients/0/threads", true},
		{"/workloads/0/clients/0/threads", "/workloads/0/load/threads", true},
		{"/workloads/0/clients/0/threads", "/workloads/0/properties/readproportion", true},
		{"/workloads/0/clients/0/threads", "/workloads/0/properties/fieldlength", false},
		{"/workloads/0/clients/0/threads", "/workloads/1/clients/0/threads", false},
		{"/workloads/0/clients", "/workloads/0/clients/1/mix", true},
	} {
		if got := Covered(c.field, []string{c.pointer}); got != c.want {
			t.Errorf("%s covers %s: %v", c.pointer, c.field, got)
		}
	}
}
