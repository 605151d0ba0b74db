package validate

import (
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
)

// uncheckedOfRun names what a run wants of a cluster by name. Only the cluster can tell whether it is there.
func (m configMaps) uncheckedOfRun(run *v1alpha1.BenchmarkRun) (names []string) {
	add := func(format string, args ...any) { names = append(names, fmt.Sprintf(format, args...)) }
	for _, file := range compile.FilesOf(&run.Spec) {
		if _, there := m.key(run.Namespace, file.ConfigMapKeyRef); !there {
			add("the key %s of the ConfigMap %s (%s), and without it what the catalog says of workloads, faults and objectives", file.Key, file.Name, file.Field)
		}
	}
	spec, store := &run.Spec, &run.Spec.Store
	if run.Namespace != "" {
		add("the namespace %s (metadata.namespace)", run.Namespace)
	}
	if store.Chart != nil {
		add("the chart %s (spec.store.chart), and whether it takes the values", compile.ChartSource(store.Chart))
	}
	if store.SecuritySecret != "" {
		add("the Secret %s (spec.store.securitySecret)", store.SecuritySecret)
	}
	if len(store.Endpoints) > 0 {
		add("the members of spec.store.endpoints")
	}
	if store.Storage.ClassName != "" {
		add("the storage class %s (spec.store.storage.className)", store.Storage.ClassName)
	}
	if spec.ServiceAccountName != "" {
		add("the service account %s (spec.serviceAccountName)", spec.ServiceAccountName)
	}
	for _, secret := range spec.ImagePullSecrets {
		add("the Secret %s (spec.imagePullSecrets)", secret.Name)
	}
	if spec.Placement != nil {
		add("the nodes of spec.placement")
	}
	if len(spec.Faults) > 0 {
		add("Chaos Mesh (spec.faults)")
	}
	return names
}

// unchecked names what the runs of a suite want of a cluster, each once, and what the suite does itself.
func (c *suiteChecker) unchecked() (names []string) {
	for i := range c.combinations {
		run := &v1alpha1.BenchmarkRun{Spec: c.combinations[i].Spec}
		run.Namespace = c.of.Namespace
		for _, name := range c.runs.maps.uncheckedOfRun(run) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if compare := c.of.Spec.Compare; compare != nil {
		for _, kept := range compare.Baselines {
			names = append(names, fmt.Sprintf("the baseline %s (spec.compare.baselines)", kept.Name))
		}
	}
	return names
}

// unchecked is what only a cluster has, and the objects that want it.
type unchecked struct {
	name string
	of   []*Result
}

// uncheckedOf names all that the objects want of a cluster, each once.
func uncheckedOf(results []Result) (all []unchecked) {
	for i := range results {
		for _, name := range results[i].Unchecked {
			at := slices.IndexFunc(all, func(u unchecked) bool { return u.name == name })
			if at < 0 {
				at = len(all)
				all = append(all, unchecked{name: name})
			}
			all[at].of = append(all[at].of, &results[i])
		}
	}
	return all
}

// in says which object wants it, or how many do.
func (u *unchecked) in() string {
	if len(u.of) == 1 {
		return u.of[0].where()
	}
	return fmt.Sprintf("%d objects", len(u.of))
}
