package cluster

import (
	"context"
	"maps"
	"slices"

	"github.com/kvbench/kvbench/hack/localcluster/internal/binaries"
	"github.com/kvbench/kvbench/hack/localcluster/internal/host"
)

// programs builds what is missing and returns the paths of all by name.
func (u *Up) programs(ctx context.Context) (map[string]string, error) {
	groups := binaries.ForCluster()
	checked := groups
	if u.ChaosMesh {
		checked = append(slices.Clone(groups), binaries.ChaosMesh)
	}
	if err := u.prepareBuild(checked); err != nil {
		return nil, err
	}
	paths := map[string]string{}
	u.built = map[string]binaries.Built{}
	for _, g := range groups {
		built, err := u.Cache.Ensure(ctx, g)
		if err != nil {
			return nil, err
		}
		u.built[g.Name] = built
		for _, program := range slices.Sorted(maps.Keys(g.Programs)) {
			paths[program] = built.Path(program)
		}
	}
	return paths, nil
}

// Build makes the programs of these groups that are missing, without a cluster.
func (u *Up) Build(ctx context.Context, groups []binaries.Group) error {
	if err := u.prepareBuild(groups); err != nil {
		return err
	}
	for _, g := range groups {
		if _, err := u.Cache.Ensure(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// prepareBuild checks what a build takes, but only if there is one to be done: a
// machine with a filled cache needs no compiler.
func (u *Up) prepareBuild(groups []binaries.Group) error {
	var missing []string
	needs := []host.Need{}
	for _, g := range groups {
		_, programs, err := u.Cache.Missing(g)
		if err != nil {
			return err
		}
		missing = append(missing, programs...)
		if g.Name == binaries.Runc.Name && len(programs) > 0 {
			needs = append(needs, host.ForRunc()...)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := host.Toolchain(); err != nil {
		return err
	}
	gigabytes := uint64(5)
	if slices.Contains(missing, "kube-apiserver") {
		// Go's module and build caches grow to this.
		gigabytes = 25
	}
	if err := host.CheckDisk(u.Cache.Dir, gigabytes, "to build the cluster's programs"); err != nil {
		return err
	}
	return host.Install(u.Report, needs)
}
