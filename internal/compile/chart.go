package compile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// ownChartStore is a store of a chart that the run brings. What is in the chart (OwnChart's
// Name, Version, SHA256 and Bytes) is for the caller to add, who reads it.
func ownChartStore(spec *v1alpha1.StoreSpec, entry *stores.Entry, mode *stores.Mode, run plan.Run) (plan.Store, error) {
	if asksForSecurity(spec) {
		return plan.Store{}, refuse(ReasonUnsupportedSecurity, "spec.store.security: there are no credentials for a chart yet: leave it out")
	}
	values, err := ownChartValues(spec)
	if err != nil {
		return plan.Store{}, err
	}
	members, err := ownChartMembers(spec, run, entry.ClientPort)
	if err != nil {
		return plan.Store{}, err
	}
	chart := &plan.OwnChart{Source: ChartSource(spec.Chart)}
	for i, ready := range spec.Chart.Ready {
		name := expand(cmp.Or(ready.Name, "{release}"), run.ID, 0)
		if err := checkLabel(fmt.Sprintf("spec.store.chart.ready[%d].name", i), name); err != nil {
			return plan.Store{}, err
		}
		wanted := plan.Ready{
			APIVersion: ready.APIVersion, Kind: ready.Kind, Name: name,
			Condition: ready.Condition, Field: ready.Field, Equals: ready.Equals,
		}
		if ready.Condition != "" {
			wanted.Status = cmp.Or(ready.Status, "True")
		}
		chart.Ready = append(chart.Ready, wanted)
	}
	return plan.Store{
		Name:        spec.Name,
		Driver:      entry.Name,
		Mode:        mode.Name,
		Promise:     string(mode.Promise),
		OwnChart:    chart,
		Values:      values,
		Container:   cmp.Or(spec.Container, mode.Container),
		Consensus:   mode.Elects(),
		WholeRecord: mode.WholeRecord,
		Members:     members,
	}, nil
}

// ChartSource says where a chart comes from.
func ChartSource(spec *v1alpha1.ChartSpec) string {
	switch {
	case spec.ConfigMap != nil:
		return fmt.Sprintf("ConfigMap %s, %s", spec.ConfigMap.Name, spec.ConfigMap.Key)
	case spec.OCI != nil:
		return spec.OCI.URL + ":" + spec.OCI.Version
	case spec.Repository != nil:
		return fmt.Sprintf("%s, %s %s", spec.Repository.URL, spec.Repository.Name, spec.Repository.Version)
	}
	return ""
}

// ownChartValues are the run's values and the number of its nodes: nobody here knows any other
// of the chart's values.
func ownChartValues(spec *v1alpha1.StoreSpec) (json.RawMessage, error) {
	own, err := readValues(spec)
	if err != nil {
		return nil, err
	}
	if path := spec.Chart.NodesValue; path != "" {
		var nodes any = int64(spec.Nodes)
		names := strings.Split(path, ".")
		for i := len(names) - 1; i >= 0; i-- {
			nodes = object{names[i]: nodes}
		}
		if shared := firstShared(nodes.(object), own); shared != "" {
			return nil, refuse(ReasonInvalidValues, "spec.store.values.%s: spec.store.chart.nodesValue sets it to spec.store.nodes: leave one of them out", shared)
		}
		own = merge(own, nodes.(object))
	}
	encoded, err := json.Marshal(merge(nil, own))
	if err != nil {
		return nil, refuse(ReasonInvalidValues, "spec.store.values: can't be written as JSON: %v: correct them", err)
	}
	return encoded, nil
}

// ownChartMembers are the pods that the chart makes, or the operator of its resource.
func ownChartMembers(spec *v1alpha1.StoreSpec, run plan.Run, port int) ([]plan.Member, error) {
	names := v1alpha1.ChartMembersSpec{}
	if spec.Chart.Members != nil {
		names = *spec.Chart.Members
	}
	if names.Port != nil {
		port = int(*names.Port)
	}
	service := expand(cmp.Or(names.Service, "{release}"), run.ID, 0)
	if err := checkLabel("spec.store.chart.members.service", service); err != nil {
		return nil, err
	}
	members := make([]plan.Member, spec.Nodes)
	for i := range members {
		pod := expand(cmp.Or(names.Pod, "{release}-{index}"), run.ID, i)
		if err := checkLabel("spec.store.chart.members.pod", pod); err != nil {
			return nil, err
		}
		members[i] = plan.Member{Index: i, Name: pod, Address: fmt.Sprintf("%s.%s.%s.svc:%d", pod, service, run.Namespace, port)}
	}
	return members, nil
}

func expand(name, release string, index int) string {
	return strings.NewReplacer("{release}", release, "{index}", strconv.Itoa(index)).Replace(name)
}

// label is a part of a host name.
var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

func checkLabel(field, name string) error {
	if !label.MatchString(name) {
		return refuse(ReasonInvalidChart, "%s: makes the name %q, and a host's has at most 63 lower-case letters, digits and inner hyphens: shorten it", field, name)
	}
	return nil
}
