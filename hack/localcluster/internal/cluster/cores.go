package cluster

import (
	"errors"

	"github.com/kvbench/kvbench/hack/localcluster/internal/cgroup"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

// systemShare is the weight of the control plane with all kubelets and containerds, beside that of
// one node's pods, when cores are wanted by more than there are. A machine's system takes little of
// what its pods have; here, where it has the same cores, each burst of it would make pods wait.
const systemShare = 0.25

// shareCores weighs the cluster against the machine's other processes, as so many machines, and its
// system against its nodes. docs/design/0023-cores-of-the-local-cluster.md has what that was
// measured to change.
func shareCores(hierarchies []cgroup.Hierarchy, nodes int) error {
	return errors.Join(
		cgroup.Weigh(hierarchies, layout.CgroupRoot, float64(nodes)+1),
		cgroup.Weigh(hierarchies, layout.SystemCgroup, systemShare),
	)
}
