package compile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// maxThreads is what a worker has at most.
const maxThreads = 1024

// weightsOf are those of a mix, by kind.
func weightsOf(mix *v1alpha1.OperationMix) [stores.NumKinds]int32 {
	return [stores.NumKinds]int32{
		stores.Read: mix.Read, stores.Update: mix.Update, stores.Insert: mix.Insert, stores.Scan: mix.Scan,
		stores.ReadModifyWrite: mix.ReadModifyWrite, stores.Delete: mix.Delete,
	}
}

// compileClients resolves the groups of a workload's threads.
func compileClients(spec *v1alpha1.WorkloadSpec) (groups []plan.ClientGroup) {
	for i := range spec.Clients {
		group := plan.ClientGroup{Name: spec.Clients[i].Name, Threads: int(spec.Clients[i].Threads), Properties: map[string]string{}}
		for kind, weight := range weightsOf(&spec.Clients[i].Mix) {
			group.Properties[workload.Proportion(stores.Kind(kind))] = strconv.Itoa(int(weight))
		}
		groups = append(groups, group)
	}
	return groups
}

// mixClients sets the mix of the properties to that of all groups, by the share that each has of the threads. How many operations
// each kind really has, follows from how long the store takes.
func mixClients(i int, spec *v1alpha1.WorkloadSpec, properties map[string]string) (map[string]string, error) {
	if len(spec.Clients) == 0 {
		return properties, nil
	}
	field := fmt.Sprintf("spec.workloads[%d]", i)
	for name := range spec.Properties {
		if strings.HasSuffix(name, "proportion") {
			return nil, refuse(ReasonInvalidProperty, "%s.properties: %s is the mix of all threads, and clients have mixes of their own: leave it out", field, name)
		}
	}
	var shares [stores.NumKinds]float64
	makes := map[stores.Kind]string{} // the group that has the figures of a kind
	threads := float64(threadsOf(spec.Clients))
	for g := range spec.Clients {
		group := &spec.Clients[g]
		var sum float64
		weights := weightsOf(&group.Mix)
		for _, weight := range weights {
			sum += float64(weight)
		}
		for number, weight := range weights {
			kind := stores.Kind(number)
			if shares[kind] += float64(group.Threads) / threads * float64(weight) / sum; weight == 0 {
				continue
			}
			if kind == stores.ReadModifyWrite && group.Mix.Read+group.Mix.Update > 0 {
				return nil, refuse(ReasonInvalidLoad, "%s.clients: the group %s has readModifyWrite beside read or update, and the parts of the first are among the figures of the others: make two workloads", field, group.Name)
			}
			for _, shown := range shownAs(kind) {
				if other, taken := makes[shown]; taken && other != group.Name {
					return nil, refuse(ReasonInvalidLoad, "%s.clients: the groups %s and %s both have figures of %s, which nobody could tell apart: give each operation to one group", field, other, group.Name, shown)
				}
				makes[shown] = group.Name
			}
		}
	}
	mixed := maps.Clone(properties)
	for kind, share := range shares {
		mixed[workload.Proportion(stores.Kind(kind))] = strconv.FormatFloat(share, 'g', -1, 64)
	}
	return mixed, nil
}

func threadsOf(groups []v1alpha1.ClientGroup) (threads int) {
	for i := range groups {
		threads += int(groups[i].Threads)
	}
	return threads
}

// checkThreads refuses a number of threads for all workloads that none of them has.
func checkThreads(spec *v1alpha1.BenchmarkRunSpec) error {
	if spec.Load.Threads != nil && !slices.ContainsFunc(spec.Workloads, func(w v1alpha1.WorkloadSpec) bool { return len(w.Clients) == 0 }) {
		return refuse(ReasonInvalidLoad, "spec.load.threads: all workloads have clients with threads of their own: leave it out")
	}
	return nil
}

// shownAs are the operations among whose figures those of a kind are.
func shownAs(kind stores.Kind) []stores.Kind {
	if kind == stores.ReadModifyWrite {
		return []stores.Kind{stores.Read, stores.Update, stores.ReadModifyWrite}
	}
	return []stores.Kind{kind}
}

// checkClients refuses what groups of threads can't have.
func checkClients(i int, spec *v1alpha1.WorkloadSpec, load *plan.Load, own *loadOf, parsed *workload.Spec) error {
	field := fmt.Sprintf("spec.workloads[%d]", i)
	threads := threadsOf(spec.Clients)
	switch {
	case spec.Operations != nil:
		return refuse(ReasonInvalidWorkload, "%s.operations: the groups of clients would share them, and the fast ones would end before the slow ones: set a duration", field)
	case load.Rate > 0:
		return refuse(ReasonInvalidLoad, "%s.clients: they are threads of a closed loop, and the workload has a rate: leave clients or %s out", field, own.rateField())
	case own.own.Threads != nil:
		return refuse(ReasonInvalidLoad, "%s.load.threads: clients have threads of their own: leave it out", field)
	case spec.Trace != nil:
		return refuse(ReasonInvalidLoad, "%s.clients: a trace has its own operations: leave clients or trace out", field)
	case parsed.CacheAside:
		return refuse(ReasonInvalidProperty, "%s.clients: reads insert what they miss in a workload of a cache aside, so they have figures of inserts as well: leave clients or that out", field)
	case threads > maxThreads:
		return refuse(ReasonInvalidLoad, "%s.clients: they have %d threads in each worker, and %d is the most: set fewer, or more spec.load.workers", field, threads, maxThreads)
	}
	return nil
}
