package compile

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// inCluster is a run of the store that has a mode of three members at least.
func inCluster(edit func(*run)) func(*run) {
	return func(r *run) {
		r.Spec.Store.Name, r.Spec.Store.Mode = "cache", "cluster"
		edit(r)
	}
}

func TestRefusesWhatCannotRun(t *testing.T) {
	type workload = v1alpha1.WorkloadSpec
	type properties = map[string]v1alpha1.PropertyValue
	for name, situation := range map[string]struct {
		edit   func(*run)
		reason string
		says   []string // field, what is wrong, what to do
	}{
		"a store with a slip in its name": {
			func(r *run) { r.Spec.Store.Name = "raff" },
			ReasonUnknownStore, []string{"spec.store.name", `no store "raff"`, `did you mean "raft"?`, "raft, cache"},
		},
		"a store that is like none": {
			func(r *run) { r.Spec.Store.Name = "postgresql" },
			ReasonUnknownStore, []string{"spec.store.name", "use another", "raft, cache"},
		},
		"a store that is there for the command line": {
			func(r *run) { r.Spec.Store.Name = "nothing" },
			ReasonUnknownStore, []string{"spec.store.name", "nothing is there for kvbench-loadgen", "raft, cache"},
		},
		"a driver that is none": {
			at(func(r *run) { r.Spec.Store.Name, r.Spec.Store.Driver = "ours", "rift" }),
			ReasonUnknownStore, []string{"spec.store.driver", `no store "rift"`, `did you mean "raft"?`},
		},
		"a driver that is there for the command line": {
			at(func(r *run) { r.Spec.Store.Driver = "nothing" }),
			ReasonUnknownStore, []string{"spec.store.driver", "nothing is there for kvbench-loadgen"},
		},
		"more endpoints than the store can have": {
			at(func(r *run) { r.Spec.Store.Nodes = 8 }),
			ReasonUnsupportedNodes, []string{"spec.store.nodes", "1 to 7 nodes, not with 8"},
		},
		"emptying endpoints whose keys can't be listed": {
			at(func(r *run) { r.Spec.Store.Name, r.Spec.Workloads[0].Reset = "cache", ptr(true) }),
			ReasonInvalidWorkload, []string{"spec.workloads[0].reset", "cache in its mode plain can't list its keys", "leave reset out"},
		},
		"more records than the workload before says are there": {
			at(withWorkloads(workload{Name: "a", Preset: "A", Reset: ptr(false)}, workload{Name: "b", Preset: "B", Records: ptr(int64(2000))})),
			ReasonInvalidWorkload, []string{"spec.workloads[1].records", `workload "a" has 1000 records`},
		},
		"an unknown mode": {
			func(r *run) { r.Spec.Store.Mode = "Linearisable" },
			ReasonUnknownMode, []string{"spec.store.mode", `did you mean "linearizable"?`, "serializable"},
		},
		"more nodes than the store can have": {
			func(r *run) { r.Spec.Store.Nodes = 9 },
			ReasonUnsupportedNodes, []string{"spec.store.nodes", "raft in its mode linearizable", "1 to 7", "not with 9"},
		},
		"a number of nodes that the mode can't have": {
			inCluster(func(r *run) { r.Spec.Store.Nodes = 4 }),
			ReasonUnsupportedNodes, []string{"spec.store.nodes", "cache in its mode cluster", "3, 5 or 7 nodes", "not with 4"},
		},
		"values over those of the mode": {
			inCluster(withValues(`{"cluster": {"port": 1, "replicas": 0}}`)),
			ReasonInvalidValues, []string{"spec.store.values.cluster.replicas", "set by the mode cluster", "leave it out"},
		},
		"another kind of value over one of the mode": {
			inCluster(withValues(`{"cluster": null}`)),
			ReasonInvalidValues, []string{"spec.store.values.cluster:", "set by the mode cluster"},
		},
		"a volume for a store without": {
			func(r *run) { r.Spec.Store.Name, r.Spec.Store.Storage.ClassName = "cache", "fast" },
			ReasonInvalidValues, []string{"spec.store.storage", "cache in its mode plain", "in memory", "leave size and className out"},
		},
		"scans of a store without": {
			func(r *run) {
				r.Spec.Store.Name = "cache"
				withWorkloads(workload{Name: "a", Preset: "A"}, workload{Name: "e", Preset: "E", Reset: ptr(true)})(r)
			},
			ReasonInvalidProperty, []string{"spec.workloads[1].properties", "cache in its mode plain has no scan", "95 %", "A, B, C, D or F"},
		},
		"records too large for the store": {
			func(r *run) {
				r.Spec.Store.Name = "cache"
				withWorkloads(workload{Name: "a", Preset: "A", Properties: properties{"fieldlength": "200000"}})(r)
			},
			ReasonInvalidProperty, []string{"spec.workloads[0].properties", "cache in its mode plain", "up to 1048576 bytes", "fieldlength=200000", "lower"},
		},
		"more than a report can hold": {
			func(r *run) {
				r.Spec.Load.Warmup, r.Spec.Load.Cooldown = ptr(v1alpha1.Duration("1s")), ptr(v1alpha1.Duration("0s"))
				withWorkloads(workload{Name: "a", Preset: "A", Duration: ptr(v1alpha1.Duration("24h"))},
					workload{Name: "b", Preset: "B", Duration: ptr(v1alpha1.Duration("23h59m59s"))})(r)
			},
			ReasonInvalidWorkload, []string{"spec.workloads", "48h0m1s", "48h0m0s", "several runs"},
		},
		"more operations at a rate than a report can hold": {
			func(r *run) {
				r.Spec.Load.Warmup, r.Spec.Load.Cooldown, r.Spec.Load.Rate = ptr(v1alpha1.Duration("1s")), ptr(v1alpha1.Duration("0s")), ptr(int64(10))
				withWorkloads(workload{Name: "a", Preset: "A", Operations: ptr(int64(24 * 3600 * 10))},
					workload{Name: "b", Preset: "B", Operations: ptr(int64(24 * 3600 * 10))})(r)
			},
			ReasonInvalidWorkload, []string{"spec.workloads", "48h0m2s", "48h0m0s", "several runs"},
		},
		"more operations at a rate than one measurement has time for": {
			func(r *run) {
				r.Spec.Load.Rate = ptr(int64(10))
				withWorkloads(workload{Name: "a", Preset: "A", Operations: ptr(int64(24*3600*10 + 10))})(r)
			},
			ReasonInvalidWorkload, []string{"spec.workloads[0].operations", "24h0m1s", "has 24h0m0s", "set a duration"},
		},
		"a leader of a store without leaders": {
			func(r *run) {
				r.Spec.Store.Name = "cache"
				withFault(v1alpha1.FaultSpec{Action: "ContainerKill", Target: &v1alpha1.FaultTarget{Role: "Leader"}})(r)
			},
			ReasonUnsupportedTarget, []string{"spec.faults[0].target.role", "none leads", "Any, or a member"},
		},
		"the follower of one node": {
			func(r *run) {
				r.Spec.Store.Nodes = 1
				withFault(v1alpha1.FaultSpec{Action: "ContainerKill", Target: &v1alpha1.FaultTarget{Role: "Follower"}})(r)
			},
			ReasonUnsupportedTarget, []string{"spec.faults[0].target.role", "raise spec.store.nodes"},
		},
		"a rate that is 0 all the time": {
			func(r *run) {
				r.Spec.Load.RateShape = &v1alpha1.RateShape{Steps: []v1alpha1.RateStep{{For: "10s"}}}
			},
			ReasonInvalidLoad, []string{"spec.load.rateShape", "0 all the time"},
		},
		"a step of no time": {
			func(r *run) {
				r.Spec.Load.RateShape = &v1alpha1.RateShape{Steps: []v1alpha1.RateStep{{Rate: 1, For: "10s"}, {Rate: 2, For: "0s"}}}
			},
			ReasonInvalidLoad, []string{"spec.load.rateShape", "part 2 lasts 0 ms"},
		},
		"operations that never come": {
			func(r *run) {
				r.Spec.Load.RateShape = &v1alpha1.RateShape{Ramp: &v1alpha1.RateRamp{From: 100, Over: "10s"}}
				r.Spec.Workloads = []workload{{Name: "a", Preset: "A", Operations: ptr(int64(5000))}}
			},
			ReasonInvalidLoad, []string{"spec.load.rateShape", "ends at 0", "spec.workloads[0]", "5000 operations"},
		},
		"a member that isn't there": {
			withFault(v1alpha1.FaultSpec{Action: "ContainerKill", Target: &v1alpha1.FaultTarget{Member: ptr(int32(3))}}),
			ReasonUnsupportedTarget, []string{"spec.faults[0].target.member", "0 to 2"},
		},
		"a fault that ends at once, with a duration": {
			withFault(v1alpha1.FaultSpec{Action: "ContainerKill", Duration: ptr(v1alpha1.Duration("10s"))}),
			ReasonInvalidFault, []string{"spec.faults[0].duration", "ContainerKill ends with its injection", "leave duration out"},
		},
		"a partition that never ends": {
			withFault(v1alpha1.FaultSpec{Action: "Partition"}),
			ReasonInvalidFault, []string{"spec.faults[0].duration", "Partition lasts until it is healed", "such as 10s"},
		},
		"a partition that ends too late": {
			withFault(v1alpha1.FaultSpec{Action: "Partition", Duration: ptr(v1alpha1.Duration("21s"))}),
			ReasonInvalidFault, []string{"spec.faults[0].duration", "begins at 30s, lasts 21s", "over 10s before the end", "measured for 1m0s"},
		},
		"a partition of one node": {
			func(r *run) {
				r.Spec.Store.Nodes = 1
				withFault(v1alpha1.FaultSpec{Action: "Partition", Duration: ptr(v1alpha1.Duration("10s"))})(r)
			},
			ReasonUnsupportedTarget, []string{"spec.faults[0].action", "raise spec.store.nodes"},
		},
		"a partition of no direction": {
			withFault(partition(v1alpha1.PartitionParameters{Direction: "up"})),
			ReasonInvalidFault, []string{"spec.faults[0].partition", `direction is "up": write Both, To or From`},
		},
		"a pod killed in a partition": {
			func(r *run) {
				r.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "PodKill", At: "40s"}, {Name: "cut", Action: "Partition", At: "30s", Duration: ptr(v1alpha1.Duration("10s"))}}
			},
			ReasonInvalidFault, []string{"spec.faults[0].at", "the pod is replaced at 40s", "spec.faults[1] lasts from 30s to 40s", "use ContainerKill"},
		},
		"a kill with the parameters of a partition": {
			withFault(v1alpha1.FaultSpec{Action: "PodKill", FaultParameters: partition(v1alpha1.PartitionParameters{}).FaultParameters}),
			ReasonInvalidFault, []string{"spec.faults[0].partition", "not parameters of PodKill"},
		},
		"a fault that isn't known": {
			withFault(v1alpha1.FaultSpec{Action: "PodKil"}),
			ReasonUnknownAction, []string{"spec.faults[0].action", `did you mean "PodKill"?`},
		},
		"a pod killed with its data": {
			func(r *run) {
				r.Spec.Store.Storage.Ephemeral = true
				withFault(v1alpha1.FaultSpec{Action: "PodKill"})(r)
			},
			ReasonNeedsPersistence, []string{"spec.faults[0].action", "a member without its data can't rejoin", "ephemeral: false", "ContainerKill"},
		},
		"a pod killed with its data, of too few to take it in": {
			func(r *run) {
				r.Spec.Store.Storage.Ephemeral, r.Spec.Store.Nodes = true, 2
				r.Spec.Store.Name = "rejoining"
				withFault(v1alpha1.FaultSpec{Action: "PodKill"})(r)
			},
			ReasonNeedsPersistence, []string{"spec.faults[0].action", "ephemeral: false", "spec.store.nodes: 3"},
		},
		"a fault while data are taken in": {
			func(r *run) {
				r.Spec.Store.Storage.Ephemeral, r.Spec.Store.Name = true, "rejoining"
				r.Spec.Faults = []v1alpha1.FaultSpec{{Name: "a", Action: "PodKill", At: "2m"}, {Name: "b", Action: "ContainerKill", At: "61s"}}
			},
			ReasonNeedsPersistence, []string{"spec.faults[1].at", "is 59s from that of spec.faults[0]", "leave 1m0s between them"},
		},
		"a property with a slip": {
			withWorkloads(workload{Name: "a", Preset: "A", Properties: properties{"fieldlenght": "5"}}),
			ReasonInvalidProperty, []string{"spec.workloads[0].properties", `"fieldlenght"`, `did you mean "fieldlength"?`},
		},
		"properties that are wrong in two ways": {
			withWorkloads(workload{Name: "a", Preset: "A", Properties: properties{"fieldcount": "many", "exportfile": "/etc/passwd"}}),
			ReasonInvalidProperty, []string{"spec.workloads[0].properties", "fieldcount", "; ", "names a file or an address"},
		},
		"a mix of nothing": {
			withWorkloads(workload{Name: "a", Properties: properties{"readproportion": "0", "updateproportion": "0"}}),
			ReasonInvalidProperty, []string{"spec.workloads[0].properties", "all proportions are 0"},
		},
		"no workload": {
			withWorkloads(),
			ReasonInvalidWorkload, []string{"spec.workloads", "name at least one"},
		},
		"a preset that isn't YCSB's": {
			withWorkloads(workload{Name: "a", Preset: "G"}),
			ReasonInvalidWorkload, []string{"spec.workloads[0].preset", "A to F"},
		},
		"a first workload that loads nothing": {
			withWorkloads(workload{Name: "a", Preset: "A", Reset: ptr(false)}),
			ReasonInvalidWorkload, []string{"spec.workloads[0].reset", "leave reset out"},
		},
		"more records than were loaded": {
			withWorkloads(workload{Name: "a", Preset: "A"}, workload{Name: "b", Preset: "B", Records: ptr(int64(2000))}),
			ReasonInvalidWorkload, []string{"spec.workloads[1].records", `workload "a" has 1000`, "2000", "reset: true"},
		},
		"records in another table than was loaded": {
			withWorkloads(workload{Name: "a", Preset: "A"}, workload{Name: "b", Preset: "B", Properties: properties{"table": "other"}}),
			ReasonInvalidProperty, []string{"spec.workloads[1].properties", "table differs", `workload "a"`, "reset: true"},
		},
		"keys of another order than were loaded": {
			withWorkloads(workload{Name: "a", Preset: "A"}, workload{Name: "b", Preset: "B", Properties: properties{"insertorder": "ordered"}}),
			ReasonInvalidProperty, []string{"spec.workloads[1].properties", "insertorder differs"},
		},
		"keys of another hash than were loaded": {
			withWorkloads(workload{Name: "a", Preset: "A"}, workload{Name: "b", Preset: "B", Properties: properties{"keyhash": "go-ycsb"}}),
			ReasonInvalidProperty, []string{"spec.workloads[1].properties", "keyhash differs"},
		},
		"a time to live in a store without": {
			withWorkloads(workload{Name: "a", Preset: "A", Properties: properties{"cacheaside": "true", "cacheaside.ttl": "60"}}),
			ReasonInvalidProperty, []string{"spec.workloads[0].properties", "raft in its mode linearizable gives records no time to live", "leave cacheaside.ttl out"},
		},
		"more workers than records of their own": {
			func(r *run) {
				r.Spec.Load.Workers = ptr(int32(3))
				withWorkloads(workload{Name: "a", Preset: "A", Records: ptr(int64(2)), Properties: properties{"keyspace": "own"}})(r)
			},
			ReasonInvalidProperty, []string{"spec.workloads[0].properties", "2 records among 3 workers", "set records to 3 or more"},
		},
		"a billion records on a volume of 1 GiB": {
			withWorkloads(workload{Name: "a", Preset: "A"}, workload{Name: "b", Preset: "A", Reset: ptr(true), Records: ptr(int64(1_000_000_000))}),
			ReasonInvalidWorkload, []string{
				"spec.workloads[1].records", "1000000000 records × 10 fields × 100 bytes are 931.3Gi", "each of 3 members keeps all, and its volume has 1Gi",
				"lower records, or raise spec.store.storage.size",
			},
		},
		"more than a pod may keep": {
			func(r *run) {
				r.Spec.Store.Storage = v1alpha1.StorageSpec{Ephemeral: true, Size: ptr(resource.MustParse("100Mi"))}
				withWorkloads(workload{Name: "a", Preset: "A", Records: ptr(int64(200_000))})(r)
			},
			ReasonInvalidWorkload, []string{"are 190.7Mi", "its volume has 100Mi"},
		},
		"a warm-up of half a second": {
			func(r *run) { r.Spec.Load.Warmup = ptr(v1alpha1.Duration("500ms")) },
			ReasonInvalidLoad, []string{"spec.load.warmup", "500ms is no whole number of seconds", "write 1s"},
		},
		"a cool-down of a second and a bit": {
			func(r *run) { r.Spec.Load.Cooldown = ptr(v1alpha1.Duration("1.001s")) },
			ReasonInvalidLoad, []string{"spec.load.cooldown", "1.001s is no whole number of seconds", "write 2s"},
		},
		"a duration that ends within a second": {
			withWorkloads(v1alpha1.WorkloadSpec{Name: "a", Preset: "A"},
				v1alpha1.WorkloadSpec{Name: "b", Preset: "B", Duration: ptr(v1alpha1.Duration("1m30.5s"))}),
			ReasonInvalidWorkload, []string{"spec.workloads[1].duration", "1m30.5s is no whole number of seconds", "write 91s"},
		},
		"fewer slots than workers": {
			func(r *run) {
				r.Spec.Load.WorkloadLoadSpec = v1alpha1.WorkloadLoadSpec{Workers: ptr(int32(4)), Rate: ptr(int64(100)), MaxInFlight: ptr(int32(3))}
			},
			ReasonInvalidLoad, []string{"spec.load.maxInFlight", "4 workers", "raise it, or lower spec.load.workers"},
		},
		"connections that a store's driver doesn't share": {
			func(r *run) {
				r.Spec.Load.WorkloadLoadSpec = v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(100)), Connections: ptr(int32(4))}
			},
			ReasonInvalidLoad, []string{"spec.load.connections", "the driver of raft doesn't share connections", "leave it out"},
		},
		"connections of a workload's own that a store's driver doesn't share": {
			withOwnLoad(v1alpha1.WorkloadLoadSpec{Rate: ptr(int64(100)), Connections: ptr(int32(4))}),
			ReasonInvalidLoad, []string{"spec.workloads[1].load.connections", "leave it out"},
		},
		"connections of a closed loop of a workload's own": {
			withOwnLoad(v1alpha1.WorkloadLoadSpec{Connections: ptr(int32(4))}),
			ReasonInvalidLoad, []string{"spec.workloads[1].load.connections", "needs a rate"},
		},
		"slots of a closed loop of a workload's own": {
			withOwnLoad(v1alpha1.WorkloadLoadSpec{MaxInFlight: ptr(int32(4))}),
			ReasonInvalidLoad, []string{"spec.workloads[1].load.maxInFlight", "needs a rate"},
		},
		"arrivals of a closed loop of a workload's own": {
			withOwnLoad(v1alpha1.WorkloadLoadSpec{Arrivals: "Constant"}),
			ReasonInvalidLoad, []string{"spec.workloads[1].load.arrivals", "needs a rate"},
		},
		"fewer slots than workers of a workload's own": {
			withOwnLoad(v1alpha1.WorkloadLoadSpec{Workers: ptr(int32(4)), Rate: ptr(int64(100)), MaxInFlight: ptr(int32(3))}),
			ReasonInvalidLoad, []string{"spec.workloads[1].load.maxInFlight", "4 workers", "or lower spec.workloads[1].load.workers"},
		},
		"a warm-up of a workload's own that ends within a second": {
			withOwnLoad(v1alpha1.WorkloadLoadSpec{Warmup: ptr(v1alpha1.Duration("500ms"))}),
			ReasonInvalidLoad, []string{"spec.workloads[1].load.warmup", "write 1s"},
		},
		"values over the nodes": {
			withValues(`{"nodes": 5}`),
			ReasonInvalidValues, []string{"spec.store.values.nodes", "set spec.store.nodes instead"},
		},
		"values over the version": {
			withValues(`{"image": {"tag": "latest"}}`),
			ReasonInvalidValues, []string{"spec.store.values.image.tag", "set spec.store.version instead"},
		},
		"values over the storage": {
			withValues(`{"storage": null}`),
			ReasonInvalidValues, []string{"spec.store.values.storage", "set spec.store.storage instead"},
		},
		"security that the store hasn't": {
			func(r *run) { r.Spec.Store.Security = v1alpha1.SecurityAuth },
			ReasonUnsupportedSecurity, []string{"spec.store.security", "raft can't be deployed with Auth", "its users are nobody's", "use None or TLS"},
		},
		"security of a store that has none": {
			func(r *run) { r.Spec.Store.Name, r.Spec.Store.Security = "cache", v1alpha1.SecurityTLS },
			ReasonUnsupportedSecurity, []string{"spec.store.security", "cache can't be deployed with TLS", "use None"},
		},
		"security that the mode hasn't": {
			func(r *run) { r.Spec.Store.Name, r.Spec.Store.Security = "disks", v1alpha1.SecurityAuth },
			ReasonUnsupportedSecurity, []string{"spec.store.security", "disks in its mode memory can't be deployed with Auth", "its users are on disks", "use None or TLS, or the mode disk"},
		},
		"security of endpoints that their driver hasn't": {
			at(func(r *run) { r.Spec.Store.Security, r.Spec.Store.SecuritySecret = v1alpha1.SecurityAuth, "s" }),
			ReasonUnsupportedSecurity, []string{"spec.store.security", "raft can't be asked with Auth", "use None or TLS"},
		},
		"values in place of spec.store.security": {
			withValues(`{"security": {"level": "None"}}`),
			ReasonInvalidValues, []string{"spec.store.values.security", "set spec.store.security instead"},
		},
		"values of another form": {
			withValues(`[1]`),
			ReasonInvalidValues, []string{"spec.store.values", "must be an object"},
		},
		"values without bounds": {
			withValues(`{"x": "` + strings.Repeat("y", maxValuesBytes) + `"}`),
			ReasonInvalidValues, []string{"spec.store.values", "shorten them"},
		},
		"values without bottom": {
			withValues(strings.Repeat(`{"x": `, 17) + `[]` + strings.Repeat(`}`, 17)),
			ReasonInvalidValues, []string{"spec.store.values", "flatten them"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := With(shortForm(situation.edit), nil, testCatalog())
			var refusal *Refusal
			if !errors.As(err, &refusal) {
				t.Fatalf("error = %v, want a Refusal", err)
			}
			if refusal.Reason != situation.reason {
				t.Errorf("reason = %s, want %s", refusal.Reason, situation.reason)
			}
			for _, part := range situation.says {
				if !strings.Contains(refusal.Message, part) {
					t.Errorf("message %q lacks %q", refusal.Message, part)
				}
			}
			if strings.Contains(refusal.Message, "\n") {
				t.Errorf("message %q is more than one line", refusal.Message)
			}
		})
	}
}

// withOwnLoad gives the second of two workloads a load of its own.
func withOwnLoad(load v1alpha1.WorkloadLoadSpec) func(*run) {
	return withWorkloads(v1alpha1.WorkloadSpec{Name: "a", Preset: "A"}, v1alpha1.WorkloadSpec{Name: "b", Preset: "B", Load: &load})
}
