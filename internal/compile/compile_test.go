package compile

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

func mustCompile(t *testing.T, edits ...func(*run)) *plan.Plan {
	t.Helper()
	p, err := With(shortForm(edits...), nil, testCatalog())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestShortFormGetsEveryDefault(t *testing.T) {
	p := mustCompile(t)
	id := RunID("first", "7f3c0e1a-0000-4000-8000-000000000001")
	if diff := cmp.Diff(plan.Run{Namespace: "bench", Name: "first", UID: "7f3c0e1a-0000-4000-8000-000000000001", ID: id}, p.Run); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(plan.Store{
		Name: "raft", Driver: "raft", Mode: "linearizable", Promise: "Linearizable", Version: "v1.2.3",
		Chart: "raft-chart", Container: "server", Consensus: true, Persistent: true,
		Values: json.RawMessage(`{"image":{"tag":"v1.2.3"},"nodes":3,"storage":{"ephemeral":false,"size":"1Gi"}}`),
		Members: []plan.Member{
			{Index: 0, Name: id + "-0", Address: id + "-0." + id + ".bench.svc:1234"},
			{Index: 1, Name: id + "-1", Address: id + "-1." + id + ".bench.svc:1234"},
			{Index: 2, Name: id + "-2", Address: id + "-2." + id + ".bench.svc:1234"},
		},
	}, p.Store); diff != "" {
		t.Error(diff)
	}
	w := p.Workloads[0]
	if w.Properties["readproportion"] != "0.5" || w.Properties["requestdistribution"] != "zipfian" {
		t.Errorf("properties %v aren't preset A's", w.Properties)
	}
	w.Properties = nil
	if diff := cmp.Diff(plan.Workload{
		Name: "a", Preset: "A", Records: 1000, InsertBase: 1000, LoadFirst: true, LoadBatch: 100, DurationMillis: 60_000,
		Load: plan.Load{Workers: 1, Threads: 8, WarmupMillis: 10_000, CooldownMillis: 5_000, OperationTimeoutMillis: 2_000},
	}, w); diff != "" {
		t.Error(diff)
	}
	if p.Faults != nil {
		t.Errorf("faults = %v, want none", p.Faults)
	}
}

func TestAModeHasItsOwnValuesAndRoles(t *testing.T) {
	p := mustCompile(t, inCluster(withValues(`{"cluster": {"port": 1}}`)),
		withFault(v1alpha1.FaultSpec{Action: "ContainerKill", Target: &v1alpha1.FaultTarget{Role: "Leader"}}))
	if want := `{"cluster":{"enabled":true,"port":1,"replicas":2},"image":{"tag":"1"},"nodes":3,"storage":{"ephemeral":false,"size":"1Gi"},"wait":1}`; string(p.Store.Values) != want {
		t.Errorf("values %s, want %s", p.Store.Values, want)
	}
	if !p.Store.Consensus || p.Store.Promise != "Eventual" || p.Faults[0].Target.Role != plan.RoleLeader {
		t.Errorf("compiled to %+v and %+v", p.Store, p.Faults[0])
	}
}

func TestWhatIsInMemoryHasNoVolume(t *testing.T) {
	p := mustCompile(t, func(r *run) { r.Spec.Store.Name = "cache" })
	if want := `{"image":{"tag":"1"},"nodes":3,"storage":{"ephemeral":true}}`; string(p.Store.Values) != want || p.Store.Persistent {
		t.Errorf("values %s, persistent %v", p.Store.Values, p.Store.Persistent)
	}
}

func TestAStoreHasValuesOfItsOwn(t *testing.T) {
	catalog := testCatalog()
	entry, _ := catalog.Find("cache")
	entry.Values = map[string]any{"image": map[string]any{"repository": "a/b"}, "kind": "x"}
	for values, want := range map[string]string{
		`{}`:                               `{"image":{"repository":"a/b","tag":"1"},"kind":"x","nodes":3,"storage":{"ephemeral":true}}`,
		`{"image": {"repository": "c/d"}}`: `{"image":{"repository":"c/d","tag":"1"},"kind":"x","nodes":3,"storage":{"ephemeral":true}}`,
	} {
		p, err := With(shortForm(func(r *run) { r.Spec.Store.Name = "cache" }, withValues(values)), nil, catalog)
		if err != nil || string(p.Store.Values) != want {
			t.Errorf("%s gives %s, %v, want %s", values, p.Store.Values, err, want)
		}
	}
}

func TestSameRunCompilesToTheSameBytes(t *testing.T) {
	full := func(r *run) {
		r.Spec.Store.Resources = &v1alpha1.ResourcesSpec{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("1Gi")},
			Limits:   corev1.ResourceList{"cpu": resource.MustParse("2")},
		}
		withValues(`{"settings": {"b": 1, "a": [2, {"c": null}]}}`)(r)
	}
	first, err := json.Marshal(mustCompile(t, full))
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again, err := json.Marshal(mustCompile(t, full))
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(first) {
			t.Fatalf("compiled to\n%s\nand to\n%s", first, again)
		}
	}
}

func TestSeed(t *testing.T) {
	derived := mustCompile(t).Seed
	if other := mustCompile(t, func(r *run) { r.UID = "another" }).Seed; other == derived {
		t.Error("two UIDs have the same seed")
	}
	if int64(derived) < 0 {
		t.Errorf("seed %d cannot be written into spec.seed", derived)
	}
	if given := mustCompile(t, func(r *run) { r.Spec.Seed = ptr(int64(42)) }).Seed; given != 42 {
		t.Errorf("seed = %d, want the spec's 42", given)
	}
}

func TestPartsOfSecondsAreTakenWhereTheySum(t *testing.T) {
	p := mustCompile(t, withFault(v1alpha1.FaultSpec{Action: "ContainerKill"}), func(r *run) {
		r.Spec.Load.Warmup = ptr(v1alpha1.Duration("0s"))
		r.Spec.Load.Cooldown = ptr(v1alpha1.Duration("500ms500ms"))
		r.Spec.Workloads[0].Duration = ptr(v1alpha1.Duration("1m60000ms"))
		r.Spec.Faults[0].At = "30.25s" // an instant may be any
	})
	w := p.Workloads[0]
	if w.Load.WarmupMillis != 0 || w.Load.CooldownMillis != 1000 || w.DurationMillis != 120_000 || p.Faults[0].AtMillis != 30_250 {
		t.Errorf("warm-up %d, cool-down %d, duration %d, fault at %d", w.Load.WarmupMillis, w.Load.CooldownMillis, w.DurationMillis, p.Faults[0].AtMillis)
	}
}

func TestARateShapeIsResolved(t *testing.T) {
	for name, c := range map[string]struct {
		spec v1alpha1.RateShape
		want plan.Shape
		peak float64
	}{
		"steps": {
			v1alpha1.RateShape{Steps: []v1alpha1.RateStep{{Rate: 100, For: "30s"}, {Rate: 0, For: "500ms"}, {Rate: 50, For: "1m"}}},
			plan.Shape{Segments: []plan.Segment{{From: 100, To: 100, Millis: 30_000}, {Millis: 500}, {From: 50, To: 50, Millis: 60_000}}}, 100,
		},
		"a ramp": {
			v1alpha1.RateShape{Ramp: &v1alpha1.RateRamp{From: 10, To: 2000, Over: "1m"}},
			plan.Shape{Segments: []plan.Segment{{From: 10, To: 2000, Millis: 60_000}}}, 2000,
		},
		"a sine": {
			v1alpha1.RateShape{Sine: &v1alpha1.RateSine{Mean: 500, Amplitude: 300, Period: "10s"}},
			plan.Shape{Sine: &plan.Sine{Mean: 500, Amplitude: 300, PeriodMillis: 10_000}}, 800,
		},
	} {
		load := mustCompile(t, func(r *run) { r.Spec.Load.RateShape = &c.spec }).Workloads[0].Load
		if !reflect.DeepEqual(load.Shape, &c.want) || load.Rate != c.peak || load.MaxInFlight != int(3*c.peak) || load.Arrivals != plan.ArrivalsPoisson {
			t.Errorf("%s: %+v of %g/s, %d in flight", name, load.Shape, load.Rate, load.MaxInFlight)
		}
	}
}

func TestEachStoreHasAWarmupOfItsOwn(t *testing.T) {
	want := map[string]int64{
		"cassandra": 30_000, "hazelcast": 30_000, "ignite": 30_000,
		"etcd": 10_000, "memcached": 10_000, "postgresql": 10_000, "redis": 10_000, "valkey": 10_000,
	}
	for _, name := range catalog.Deployable() {
		for spec, millis := range map[v1alpha1.Duration]int64{"": want[name], "0s": 0, "7s": 7_000} {
			run := shortForm(func(r *run) { r.Spec.Store.Name = name })
			if spec != "" {
				run.Spec.Load.Warmup = &spec
			}
			compiled, err := Compile(run, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := compiled.Workloads[0].Load.WarmupMillis; got != millis {
				t.Errorf("%s with warmup %q: %d ms, want %d", name, spec, got, millis)
			}
		}
	}
}

func TestOperationsOfAnOpenLoopShareConnections(t *testing.T) {
	for name, c := range map[string]struct {
		store string
		load  v1alpha1.WorkloadLoadSpec
		want  int
	}{
		"a closed loop":         {"cache", v1alpha1.WorkloadLoadSpec{Threads: ptr(int32(40))}, 0},
		"the least":             {"cache", v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(100))}, 16},
		"as many as threads":    {"cache", v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(100)), Threads: ptr(int32(40))}, 40},
		"the spec's":            {"cache", v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(100)), Connections: ptr(int32(3))}, 3},
		"a driver that doesn't": {"raft", v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(100))}, 0},
	} {
		load := mustCompile(t, func(r *run) { r.Spec.Store.Name, r.Spec.Load.WorkloadLoadSpec = c.store, c.load }).Workloads[0].Load
		if load.Connections != c.want {
			t.Errorf("%s: %d connections, want %d", name, load.Connections, c.want)
		}
	}
}

func TestAWorkloadsLoadIsOverTheRuns(t *testing.T) {
	own := func(name string, load *v1alpha1.WorkloadLoadSpec) v1alpha1.WorkloadSpec {
		return v1alpha1.WorkloadSpec{Name: name, Preset: "A", Load: load}
	}
	compiled := mustCompile(t, func(r *run) {
		r.Spec.Store.Name = "cache"
		r.Spec.Load.WorkloadLoadSpec = v1alpha1.WorkloadLoadSpec{
			Workers: ptr(int32(2)), Threads: ptr(int32(20)), Rate: ptr(int64(100)), Arrivals: plan.ArrivalsConstant,
			Warmup: ptr(v1alpha1.Duration("3s")), OperationTimeout: ptr(v1alpha1.Duration("1s")),
		}
		r.Spec.Workloads = []v1alpha1.WorkloadSpec{
			own("as-the-run", nil),
			own("faster", &v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(400)), Connections: ptr(int32(7))}),
			own("by-steps", &v1alpha1.WorkloadLoadSpec{RateShape: &v1alpha1.RateShape{Steps: []v1alpha1.RateStep{{Rate: 50, For: "5s"}, {Rate: 70, For: "5s"}}}}),
			own("all", &v1alpha1.WorkloadLoadSpec{
				Workers: ptr(int32(5)), Threads: ptr(int32(9)), Arrivals: plan.ArrivalsPoisson, MaxInFlight: ptr(int32(11)),
				Warmup: ptr(v1alpha1.Duration("4s")), Cooldown: ptr(v1alpha1.Duration("6s")), OperationTimeout: ptr(v1alpha1.Duration("2s")),
			}),
		}
	}).Workloads
	type facts struct {
		Workers, Threads        int
		Rate                    float64
		Shaped                  bool
		Arrivals                string
		MaxInFlight             int
		Connections             int
		Warmup, Cooldown, Limit int64
	}
	for i, want := range []facts{
		{2, 20, 100, false, plan.ArrivalsConstant, 150, 20, 3000, 5000, 1000},
		{2, 20, 400, false, plan.ArrivalsConstant, 600, 7, 3000, 5000, 1000},
		{2, 20, 70, true, plan.ArrivalsConstant, 105, 20, 3000, 5000, 1000},
		{5, 9, 100, false, plan.ArrivalsPoisson, 11, 16, 4000, 6000, 2000},
	} {
		load := compiled[i].Load
		got := facts{load.Workers, load.Threads, load.Rate, load.Shape != nil, load.Arrivals, load.MaxInFlight, load.Connections,
			load.WarmupMillis, load.CooldownMillis, load.OperationTimeoutMillis}
		if got != want {
			t.Errorf("%s: %+v, want %+v", compiled[i].Name, got, want)
		}
	}
}

func TestLoadersInsertInBatches(t *testing.T) {
	compiled := mustCompile(t, func(r *run) {
		r.Spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "a", Preset: "A"}, {Name: "b", Preset: "A", Load: &v1alpha1.WorkloadLoadSpec{Batch: ptr(int32(1))}}}
	})
	if a, b := compiled.Workloads[0].LoadBatch, compiled.Workloads[1].LoadBatch; a != 100 || b != 1 {
		t.Errorf("batches of %d and %d records", a, b)
	}
	all := mustCompile(t, func(r *run) { r.Spec.Load.Batch = ptr(int32(7)) })
	if all.Workloads[0].LoadBatch != 7 {
		t.Errorf("batches of %d records", all.Workloads[0].LoadBatch)
	}
}

func TestAWorkloadsRateMakesAnOpenLoopOfItAlone(t *testing.T) {
	compiled := mustCompile(t, withWorkloads(
		v1alpha1.WorkloadSpec{Name: "closed", Preset: "A"},
		v1alpha1.WorkloadSpec{Name: "open", Preset: "A", Load: &v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(10))}},
	)).Workloads
	if compiled[0].Load.Rate != 0 || compiled[1].Load.Rate != 10 {
		t.Errorf("%+v", compiled)
	}
}

func TestMaxInFlightFollowsFromRateAndTimeout(t *testing.T) {
	for name, situation := range map[string]struct {
		load v1alpha1.WorkloadLoadSpec
		want int
	}{
		"closed loop":                  {v1alpha1.WorkloadLoadSpec{}, 0},
		"rate × 2 s × 1.5":             {v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(1000))}, 3000},
		"another timeout":              {v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(1000)), OperationTimeout: ptr(v1alpha1.Duration("500ms"))}, 750},
		"one slot for each worker":     {v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(1)), Workers: ptr(int32(10))}, 10},
		"rounded up":                   {v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(1)), OperationTimeout: ptr(v1alpha1.Duration("900ms"))}, 2},
		"never above the API's bounds": {v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(10_000_000))}, maxInFlight},
		"the spec's":                   {v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(1000)), MaxInFlight: ptr(int32(64))}, 64},
	} {
		t.Run(name, func(t *testing.T) {
			load := mustCompile(t, func(r *run) { r.Spec.Load.WorkloadLoadSpec = situation.load }).Workloads[0].Load
			if load.MaxInFlight != situation.want {
				t.Errorf("maxInFlight = %d, want %d", load.MaxInFlight, situation.want)
			}
			if open := situation.load.Rate != nil; open != (load.Arrivals == plan.ArrivalsPoisson) {
				t.Errorf("arrivals = %q in a loop that is open: %t", load.Arrivals, open)
			}
		})
	}
}

func TestWorkloadsInOrder(t *testing.T) {
	w := mustCompile(t, withWorkloads(
		v1alpha1.WorkloadSpec{Name: "load", Preset: "D", Records: ptr(int64(500)), Reset: ptr(true)},
		v1alpha1.WorkloadSpec{Name: "same-data", Preset: "C", Operations: ptr(int64(99))},
		v1alpha1.WorkloadSpec{Name: "part", Preset: "E", Records: ptr(int64(100)), Duration: ptr(v1alpha1.Duration("1m30s"))},
		v1alpha1.WorkloadSpec{Name: "anew", Preset: "A", Records: ptr(int64(2000)), Reset: ptr(true)},
		v1alpha1.WorkloadSpec{Name: "after", Preset: "D"},
	)).Workloads
	type facts struct {
		Records, InsertBase        int64
		Reset, LoadFirst           bool
		DurationMillis, Operations int64
	}
	want := []facts{
		{500, 500, false, true, 60_000, 0}, // what is deployed is empty
		{500, 500 + 1<<40, false, false, 0, 99},
		{100, 500 + 2<<40, false, false, 90_000, 0},
		{2000, 2000, true, true, 60_000, 0},
		{2000, 2000 + 1<<40, false, false, 60_000, 0},
	}
	for i := range want {
		got := facts{w[i].Records, w[i].InsertBase, w[i].Reset, w[i].LoadFirst, w[i].DurationMillis, w[i].Operations}
		if got != want[i] {
			t.Errorf("workload %s: %+v, want %+v", w[i].Name, got, want[i])
		}
	}
}

func TestPropertiesStandOverThePreset(t *testing.T) {
	p := mustCompile(t, withWorkloads(v1alpha1.WorkloadSpec{Name: "a", Preset: "A",
		Properties: map[string]v1alpha1.PropertyValue{"readproportion": "0.9", "fieldlength": "10"}})).Workloads[0].Properties
	if p["readproportion"] != "0.9" || p["fieldlength"] != "10" || p["updateproportion"] != "0.5" {
		t.Errorf("properties = %v", p)
	}
}

func TestFaultTargets(t *testing.T) {
	for name, situation := range map[string]struct {
		target *v1alpha1.FaultTarget
		want   plan.Target
	}{
		"none is any": {nil, plan.Target{Role: plan.RoleAny}},
		"any":         {&v1alpha1.FaultTarget{Role: "Any"}, plan.Target{Role: plan.RoleAny}},
		"leader":      {&v1alpha1.FaultTarget{Role: "Leader"}, plan.Target{Role: plan.RoleLeader}},
		"follower":    {&v1alpha1.FaultTarget{Role: "Follower"}, plan.Target{Role: plan.RoleFollower}},
		"a member":    {&v1alpha1.FaultTarget{Member: ptr(int32(2))}, plan.Target{Member: ptr(2)}},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustCompile(t, withFault(v1alpha1.FaultSpec{Action: "PodKill", Target: situation.target}))
			want := []plan.Fault{{Name: "f", Action: "PodKill", Workload: "a", Target: situation.want, AtMillis: 30_000, DeadlineMillis: 30_000}}
			if diff := cmp.Diff(want, p.Faults); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAFaultThatLastsHasADurationAndParameters(t *testing.T) {
	for name, c := range map[string]struct {
		fault v1alpha1.FaultSpec
		want  string
	}{
		"without parameters": {v1alpha1.FaultSpec{Action: "Partition", Duration: ptr(v1alpha1.Duration("20s"))}, ""},
		"with none":          {partition(v1alpha1.PartitionParameters{}), "{}"},
		"with a direction":   {partition(v1alpha1.PartitionParameters{Direction: "From"}), `{"direction":"From"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := mustCompile(t, withFault(c.fault)).Faults[0]
			if want := c.fault.Duration.Or(0); got.Lasts() != want || string(got.Parameters) != c.want {
				t.Errorf("it lasts %s and takes %q, want %s and %q", got.Lasts(), got.Parameters, want, c.want)
			}
		})
	}
}

func TestAPodMayBeReplacedOutsideOfAPartition(t *testing.T) {
	for name, kill := range map[string]v1alpha1.FaultSpec{
		"before it":                {Action: "PodKill", At: "19s"},
		"after it":                 {Action: "PodKill", At: "31s"},
		"in another workload":      {Action: "PodKill", At: "25s", Workload: "b"},
		"while its pod stays, too": {Action: "ContainerKill", At: "25s"},
	} {
		t.Run(name, func(t *testing.T) {
			cut := partition(v1alpha1.PartitionParameters{})
			cut.Name, cut.At, kill.Name = "cut", "20s", "kill"
			mustCompile(t, withWorkloads(v1alpha1.WorkloadSpec{Name: "a", Preset: "A"}, v1alpha1.WorkloadSpec{Name: "b", Preset: "A"}), func(r *run) { r.Spec.Faults = []v1alpha1.FaultSpec{cut, kill} })
		})
	}
}

func TestParametersOfAnotherActionAreRefused(t *testing.T) {
	fault := partition(v1alpha1.PartitionParameters{})
	takesAny := faults.Action{Name: "Delay", CheckParameters: func(json.RawMessage) error { return nil }}
	var refusal *Refusal
	if got, err := parametersOf(0, &fault, takesAny); !errors.As(err, &refusal) || refusal.Reason != ReasonInvalidFault {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAMemberThatLosesItsDataIsHelpedWhereItNeedsThat(t *testing.T) {
	ephemeral := func(r *run) { r.Spec.Store.Name, r.Spec.Store.Storage.Ephemeral = "rejoining", true }
	for name, c := range map[string]struct {
		edits []func(*run)
		want  bool
	}{
		"its pod is replaced":             {[]func(*run){ephemeral, withFault(v1alpha1.FaultSpec{Action: "PodKill"})}, true},
		"its container begins anew":       {[]func(*run){ephemeral, withFault(v1alpha1.FaultSpec{Action: "ContainerKill"})}, false},
		"nothing happens to it":           {[]func(*run){ephemeral}, false},
		"its data are on a volume":        {[]func(*run){func(r *run) { r.Spec.Store.Name = "rejoining" }, withFault(v1alpha1.FaultSpec{Action: "PodKill"})}, false},
		"its store doesn't need the data": {[]func(*run){func(r *run) { r.Spec.Store.Name = "cache" }, withFault(v1alpha1.FaultSpec{Action: "PodKill"})}, false},
	} {
		if got := mustCompile(t, c.edits...).Store.Rejoins; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestFaultsFarApartMayLoseData(t *testing.T) {
	mustCompile(t, func(r *run) {
		r.Spec.Store.Storage.Ephemeral, r.Spec.Store.Name = true, "rejoining"
		r.Spec.Workloads = append(r.Spec.Workloads, v1alpha1.WorkloadSpec{Name: "b", Preset: "B"})
		r.Spec.Faults = []v1alpha1.FaultSpec{
			{Name: "a", Action: "PodKill", At: "1m"}, {Name: "b", Action: "PodKill", At: "2m"}, {Name: "c", Action: "PodKill", At: "2m", Workload: "b"},
		}
	})
}

func TestFaultOnLostDataIsAllowedWhereItCanBeBorne(t *testing.T) {
	ephemeral := func(r *run) { r.Spec.Store.Storage.Ephemeral = true }
	mustCompile(t, ephemeral, withFault(v1alpha1.FaultSpec{Action: "ContainerKill"}))
	mustCompile(t, ephemeral, func(r *run) { r.Spec.Store.Name = "cache" }, withFault(v1alpha1.FaultSpec{Action: "PodKill"}))
}

func TestThePromiseIsThatOfTheSettings(t *testing.T) {
	for values, want := range map[string]stores.Promise{
		`{"settings": {"sync": "always"}}`: stores.PromiseLinearizable,
		`{"settings": {"sync": "never"}}`:  stores.PromiseEventual,
	} {
		if got := mustCompile(t, withValues(values)).Store.Promise; got != string(want) {
			t.Errorf("%s: %s, want %s", values, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	for name, situation := range map[string]struct {
		edit func(*run)
		want string // over nodes, image and storage of the short form
	}{
		"of the spec's fields": {
			func(r *run) {
				r.Spec.Store.Version = "v9"
				r.Spec.Store.Storage = v1alpha1.StorageSpec{Size: ptr(resource.MustParse("1.5Gi")), ClassName: "fast"}
				r.Spec.Store.Resources = &v1alpha1.ResourcesSpec{Requests: corev1.ResourceList{"cpu": resource.MustParse("0.5")}}
			},
			`{"nodes":3,"image":{"tag":"v9"},"storage":{"ephemeral":false,"size":"1536Mi","className":"fast"},"resources":{"requests":{"cpu":"500m"}}}`,
		},
		"ephemeral storage is bounded as a volume is": {
			func(r *run) { r.Spec.Store.Storage.Ephemeral = true },
			`{"nodes":3,"image":{"tag":"v1.2.3"},"storage":{"ephemeral":true,"size":"1Gi"}}`,
		},
		"ephemeral storage of a size": {
			func(r *run) {
				r.Spec.Store.Storage = v1alpha1.StorageSpec{Ephemeral: true, Size: ptr(resource.MustParse("8Gi"))}
			},
			`{"nodes":3,"image":{"tag":"v1.2.3"},"storage":{"ephemeral":true,"size":"8Gi"}}`,
		},
		"merged object by object": {
			withValues(`{"image": {"repository": "mirror/raft"}, "settings": {"a": 1}, "off": null}`),
			`{"nodes":3,"image":{"tag":"v1.2.3","repository":"mirror/raft"},"storage":{"ephemeral":false,"size":"1Gi"},"settings":{"a":1},"off":null}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got, want any
			if err := json.Unmarshal(mustCompile(t, situation.edit).Store.Values, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(situation.want), &want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("values = %v, want %v", got, want)
			}
		})
	}
}
