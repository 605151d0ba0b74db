package compile

import (
	"encoding/json"
	"fmt"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

func findStore(spec *v1alpha1.StoreSpec, catalog Catalog) (*stores.Entry, error) {
	field, name := "spec.store.name", spec.Name
	if spec.Driver != "" {
		field, name = "spec.store.driver", spec.Driver
	}
	entry, ok := catalog.Find(name)
	if !ok {
		return nil, refuse(ReasonUnknownStore, "%s: there is no store %q: %s", field, name, suggest(name, catalog.Names()))
	}
	if entry.Chart == "" {
		return nil, refuse(ReasonUnknownStore, "%s: %s is there for kvbench-loadgen on a command line alone: %s",
			field, entry.Name, suggest(name, catalog.Names()))
	}
	return entry, nil
}

func findMode(spec *v1alpha1.StoreSpec, entry *stores.Entry) (*stores.Mode, error) {
	mode, ok := entry.FindMode(spec.Mode)
	if !ok {
		return nil, refuse(ReasonUnknownMode, "spec.store.mode: %s has no mode %q: %s",
			entry.Name, spec.Mode, suggest(spec.Mode, entry.DescribeModes()))
	}
	if nodes := int(spec.Nodes); !mode.CanHave(nodes) {
		return nil, refuse(ReasonUnsupportedNodes, "spec.store.nodes: %s in its mode %s runs with %s nodes, not with %d: set such a number",
			entry.Name, mode.Name, mode.DescribeNodes(), nodes)
	}
	if mode.InMemory && (spec.Storage.Size != nil || spec.Storage.ClassName != "") {
		return nil, refuse(ReasonInvalidValues, "spec.store.storage: %s in its mode %s keeps its data in memory: leave size and className out",
			entry.Name, mode.Name)
	}
	return mode, nil
}

func compileStore(spec *v1alpha1.StoreSpec, entry *stores.Entry, mode *stores.Mode, run plan.Run) (plan.Store, error) {
	if len(spec.Endpoints) > 0 {
		return existingStore(spec, entry, mode)
	}
	if spec.Chart != nil {
		return ownChartStore(spec, entry, mode, run)
	}
	security, err := compileSecurity(spec, entry, mode, run)
	if err != nil {
		return plan.Store{}, err
	}
	version := spec.Version
	if version == "" {
		version = entry.DefaultVersion
	}
	values, err := compileValues(spec, version, entry, mode, security)
	if err != nil {
		return plan.Store{}, err
	}
	encoded, err := encodeValues(values)
	if err != nil {
		return plan.Store{}, err
	}
	return plan.Store{
		Name:        entry.Name,
		Driver:      entry.Name,
		Mode:        mode.Name,
		Promise:     string(mode.PromiseWith(values)),
		Version:     version,
		Chart:       entry.Chart,
		Values:      encoded,
		Security:    security.level,
		Secret:      security.secret,
		Container:   mode.Container,
		Consensus:   mode.Elects(),
		Persistent:  !spec.Storage.Ephemeral && !mode.InMemory,
		WholeRecord: mode.WholeRecord,
		Members:     members(run, int(spec.Nodes), entry.ClientPort),
	}, nil
}

// withSettings is the mode as it is with the values of a chart of the catalog. Nobody knows those of other servers.
func withSettings(mode *stores.Mode, store *plan.Store) (*stores.Mode, error) {
	if store.Chart == "" {
		return mode, nil
	}
	var values object
	if err := json.Unmarshal(store.Values, &values); err != nil {
		return nil, fmt.Errorf("reading the values of the plan: %w", err)
	}
	return mode.With(values), nil
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
