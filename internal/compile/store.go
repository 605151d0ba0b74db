package compile

import (
	"fmt"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

func findStore(spec *v1alpha1.StoreSpec, catalog Catalog) (*stores.Entry, error) {
	entry, ok := catalog.Find(spec.Name)
	if !ok {
		return nil, refuse(ReasonUnknownStore, "spec.store.name: there is no store %q: %s",
			spec.Name, suggest(spec.Name, catalog.Names()))
	}
	if entry.Chart == "" {
		return nil, refuse(ReasonUnknownStore, "spec.store.name: %s cannot be deployed, it is there for kvbench-loadgen on a command line: %s",
			entry.Name, suggest(spec.Name, catalog.Names()))
	}
	if nodes := int(spec.Nodes); nodes < entry.MinNodes || nodes > entry.MaxNodes {
		return nil, refuse(ReasonUnsupportedNodes, "spec.store.nodes: %s runs with %d to %d nodes, not with %d: set a number within",
			entry.Name, entry.MinNodes, entry.MaxNodes, nodes)
	}
	return entry, nil
}

func compileStore(spec *v1alpha1.StoreSpec, entry *stores.Entry, run plan.Run) (plan.Store, error) {
	mode, ok := entry.FindMode(spec.Mode)
	if !ok {
		names := make([]string, len(entry.Modes))
		for i, known := range entry.Modes {
			names[i] = known.Name
		}
		return plan.Store{}, refuse(ReasonUnknownMode, "spec.store.mode: %s has no mode %q: %s",
			entry.Name, spec.Mode, suggest(spec.Mode, names))
	}
	version := spec.Version
	if version == "" {
		version = entry.DefaultVersion
	}
	values, err := compileValues(spec, version)
	if err != nil {
		return plan.Store{}, err
	}
	return plan.Store{
		Name:        entry.Name,
		Driver:      entry.Name,
		Mode:        mode.Name,
		Promise:     mode.Promise,
		Version:     version,
		Chart:       entry.Chart,
		Values:      values,
		Container:   entry.Container,
		Consensus:   entry.Consensus,
		Persistent:  !spec.Storage.Ephemeral,
		WholeRecord: entry.WholeRecord,
		Members:     members(run, int(spec.Nodes), entry.ClientPort),
	}, nil
}

// members are the pods of the StatefulSet that a store's chart makes: it and its headless
// Service are called as the release, which is the run's ID.
func members(run plan.Run, nodes, port int) []plan.Member {
	members := make([]plan.Member, nodes)
	for i := range members {
		name := fmt.Sprintf("%s-%d", run.ID, i)
		members[i] = plan.Member{
			Index:   i,
			Name:    name,
			Address: fmt.Sprintf("%s.%s.%s.svc:%d", name, run.ID, run.Namespace, port),
		}
	}
	return members
}
