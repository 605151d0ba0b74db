package compile

import (
	"cmp"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// existingStore is a cluster that runs already.
func existingStore(spec *v1alpha1.StoreSpec, entry *stores.Entry, mode *stores.Mode) (plan.Store, error) {
	security, err := endpointsSecurity(spec, entry)
	if err != nil {
		return plan.Store{}, err
	}
	store := plan.Store{
		Name:        spec.Name,
		Driver:      entry.Name,
		Mode:        mode.Name,
		Promise:     string(cmp.Or(mode.PromiseElsewhere, mode.Promise)),
		Existing:    true,
		Security:    security.level,
		Secret:      security.secret,
		Container:   cmp.Or(spec.Container, mode.Container),
		Consensus:   mode.Elects(),
		WholeRecord: mode.WholeRecord,
	}
	for i, endpoint := range spec.Endpoints {
		store.Members = append(store.Members, plan.Member{Index: i, Name: cmp.Or(endpoint.Pod, endpoint.Address), Address: endpoint.Address})
	}
	return store, nil
}

// checkReset refuses to empty more of an existing cluster than the workload's table.
func checkReset(i int, spec *v1alpha1.WorkloadSpec, existing bool, name string, mode *stores.Mode) error {
	if existing && deref(spec.Reset, false) && !mode.ResetsOneTable() {
		return refuse(ReasonInvalidWorkload, "spec.workloads[%d].reset: %s in its mode %s can't list its keys, so not the table alone would be emptied, but all that the endpoints have: leave reset out, and empty them yourself if they are yours",
			i, name, mode.Name)
	}
	return nil
}
