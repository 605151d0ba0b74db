package chaosmesh

import (
	"slices"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
)

// podsNamed selects all pods of these names.
func podsNamed(namespace string, names []string) chaos.PodSelector {
	selector := chaos.PodSelector{Mode: chaos.AllMode}
	selector.Selector.Pods = map[string][]string{namespace: names}
	return selector
}

// named are the pods that a selector names in the namespace, sorted; none where it selects otherwise.
func named(selector *chaos.PodSelector, namespace string) []string {
	if len(selector.Selector.Pods) != 1 {
		return nil
	}
	return slices.Sorted(slices.Values(selector.Selector.Pods[namespace]))
}
