package frame

import (
	"encoding/json"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/wire"
)

func TestTheLoadOfAMeasurement(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*v1alpha1.BenchmarkRun)
		live   *wire.Live
		want   string // JSON
	}{
		{"not started", func(r *v1alpha1.BenchmarkRun) { r.Status.Workloads[0].StartedAtUnixNanos = 0 }, &wire.Live{Workload: "a"}, `null`},
		{"the server has told nothing", nil, nil, `null`},
		{"the status alone", func(r *v1alpha1.BenchmarkRun) {
			r.Status.Progress = &v1alpha1.Progress{Workload: "a", ElapsedSeconds: 25}
		}, nil, `{"elapsedSeconds":25,"durationSeconds":60,"leftSeconds":35,"closedLoop":false}`},
		{"the server tells of the workload before", func(r *v1alpha1.BenchmarkRun) {
			r.Status.Progress = &v1alpha1.Progress{Workload: "a", ElapsedSeconds: 5}
		}, &wire.Live{Workload: "b", ElapsedSeconds: 50, Recent: []int64{9}}, `{"elapsedSeconds":5,"durationSeconds":60,"leftSeconds":55,"closedLoop":false}`},
		{"the warm-up", nil, &wire.Live{Workload: "a", ElapsedSeconds: -4}, `{"elapsedSeconds":-4,"durationSeconds":60,"leftSeconds":60,"closedLoop":false}`},
		{"the cool-down", nil, &wire.Live{Workload: "a", ElapsedSeconds: 62}, `{"elapsedSeconds":62,"durationSeconds":60,"leftSeconds":0,"closedLoop":false}`},
		{"a duration of its own", func(r *v1alpha1.BenchmarkRun) { r.Spec.Workloads[0].Duration = ptr.To(v1alpha1.Duration("2m")) },
			&wire.Live{Workload: "a", ElapsedSeconds: 30}, `{"elapsedSeconds":30,"durationSeconds":120,"leftSeconds":90,"closedLoop":false}`},
		{"a number of operations", func(r *v1alpha1.BenchmarkRun) { r.Spec.Workloads[0].Operations = ptr.To[int64](9) },
			&wire.Live{Workload: "a", ElapsedSeconds: 30}, `{"elapsedSeconds":30,"closedLoop":false}`},
		{"a trace", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Load.Rate, r.Spec.Workloads[0].Trace = nil, &v1alpha1.TraceSpec{}
		}, &wire.Live{Workload: "a", ElapsedSeconds: 30}, `{"elapsedSeconds":30,"closedLoop":false}`},
		{"a closed loop", func(r *v1alpha1.BenchmarkRun) { r.Spec.Load.Rate = nil },
			&wire.Live{Workload: "a", ElapsedSeconds: 30}, `{"elapsedSeconds":30,"durationSeconds":60,"leftSeconds":30,"closedLoop":true}`},
		{"groups of clients, which are closed loops", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Load.Rate, r.Spec.Workloads[0].Clients = nil, make([]v1alpha1.ClientGroup, 2)
		}, &wire.Live{Workload: "a", ElapsedSeconds: 30}, `{"elapsedSeconds":30,"durationSeconds":60,"leftSeconds":30,"closedLoop":true}`},
		{"a rate of its own", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Load.Rate, r.Spec.Workloads[0].Load = nil, &v1alpha1.WorkloadLoadSpec{Rate: ptr.To[int64](7)}
		}, &wire.Live{Workload: "a", ElapsedSeconds: 30}, `{"elapsedSeconds":30,"durationSeconds":60,"leftSeconds":30,"closedLoop":false}`},
		// The second from 1 to 2 ended 1.5 s ago.
		{"with figures", nil, &wire.Live{Workload: "a", ElapsedSeconds: 1, AgeMillis: 1500, Intended: 10, Throughput: 9,
			Ended: &wire.LiveEnded{Errors: 1, P99Micros: 77, Response: true, AgeMillis: 2100}, Recent: []int64{8, 9}, RecentErrors: 3},
			`{"elapsedSeconds":3,"durationSeconds":60,"leftSeconds":57,"closedLoop":false,"figures":{"ageSeconds":1,"intended":10,"served":9,` +
				`"ended":{"ageSeconds":2,"errors":1,"p99Micros":77,"response":true},"recent":[8,9],"recentErrors":3}}`},
		{"the last second of the warm-up, and what ended isn't known", nil, &wire.Live{Workload: "a", ElapsedSeconds: -1, AgeMillis: 900, Recent: []int64{8}},
			`{"elapsedSeconds":0,"durationSeconds":60,"leftSeconds":60,"closedLoop":false,"figures":{"ageSeconds":0,"intended":0,"served":0,"recent":[8],"recentErrors":0}}`},
		{"nothing succeeds", nil, &wire.Live{Workload: "a", Intended: 10, Ended: &wire.LiveEnded{Errors: 10}, Recent: []int64{0}, RecentErrors: 10},
			`{"elapsedSeconds":1,"durationSeconds":60,"leftSeconds":59,"closedLoop":false,"figures":{"ageSeconds":0,"intended":10,"served":0,` +
				`"ended":{"ageSeconds":0,"errors":10,"p99Micros":0,"response":false},"recent":[0],"recentErrors":10}}`},
	} {
		t.Run(c.what, func(t *testing.T) {
			run := runOf(yes("Accepted", "StoreReady"), yes("Loaded", "Armed"))
			run.Status.Workloads[0].StartedAtUnixNanos = 1
			run.Spec.Load.Rate = ptr.To[int64](500)
			if c.change != nil {
				c.change(run)
			}
			got, err := json.Marshal(OfRun(run, c.live, nil).Load)
			if err != nil || string(got) != c.want {
				t.Errorf("%s, %v; want %s", got, err, c.want)
			}
		})
	}
}

func TestWhatWasToldAgesWithoutTheServer(t *testing.T) {
	told := &wire.Live{ElapsedSeconds: 5, AgeMillis: 500, Ended: &wire.LiveEnded{Errors: 7, AgeMillis: 900}, MembersAgeMillis: 100}
	aged := Aged(told, 10*time.Second)
	if aged.ElapsedSeconds != 5 || aged.AgeMillis != 10_500 || aged.Ended.AgeMillis != 10_900 || aged.Ended.Errors != 7 || aged.MembersAgeMillis != 10_100 {
		t.Errorf("%+v, ended %+v", aged, aged.Ended)
	}
	if told.AgeMillis != 500 || told.Ended.AgeMillis != 900 {
		t.Errorf("what was told has changed: %+v, ended %+v", told, told.Ended)
	}
	if Aged(nil, time.Second) != nil || Aged(told, -time.Second).AgeMillis != 500 {
		t.Error("nothing ages, or something becomes younger")
	}
}
