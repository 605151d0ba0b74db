// Package doctor is the verb that says what a cluster lacks for kvbench, and how to mend it.
//
// Each check is a file: a function that asks the API server, and a pure one that judges the answer. A check that may not ask says
// which right it lacks, and never ends the others.
package doctor

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/output"
)

// patience bounds one check.
const patience = 20 * time.Second

// Command examines the cluster.
func Command(e *env.Env) *cobra.Command {
	out := output.NewFlag()
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what the cluster lacks for kvbench, and how to mend it",
		Long: `doctor looks at what runs need: kvbench itself, Chaos Mesh, storage, nodes, images, quotas, clocks, and your rights in the
namespace. It says what there is, where, why it matters, and how to mend it. It changes nothing.

A finding is ok, a warning (runs work, maybe worse), a problem (some runs or verbs don't work) or unknown. It is unknown where
your rights don't allow the check, and then it names the right that it needs, or where the API server can't know it.

Exit codes: 0 nothing is wrong, but for warnings; 1 there is a problem; 2 the cluster can't be reached, or doesn't know you;
3 there is no problem, and some check was refused or had no answer. What no API server knows, such as what is built into a
kernel, is shown as unknown, and doesn't change the exit code.`,
		Example: `  kubectl kvbench doctor
  kubectl kvbench doctor -n team-a
  kubectl kvbench doctor -o json | jq -r '.[] | select(.severity == "problem") | .mend'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cluster, err := e.Flags.Connect()
			if err != nil {
				return err
			}
			findings, err := examine(cmd.Context(), cluster)
			if err != nil {
				return err
			}
			if err := out.Print(e.Out, findings, func(w io.Writer) error { return show(w, findings, e.Colours()) }); err != nil {
				return err
			}
			return verdict(findings)
		},
	}
	out.Add(cmd.Flags())
	return cmd
}

// check looks at one thing.
type check struct {
	name string
	do   func(context.Context, *kube.Cluster) []Finding
}

// examine does all checks at once, and has their findings in the order of the list. It fails only without a cluster.
func examine(ctx context.Context, cluster *kube.Cluster) ([]Finding, error) {
	server, err := greet(ctx, cluster)
	if err != nil {
		return nil, err
	}
	checks := []check{
		{"API server", func(context.Context, *kube.Cluster) []Finding { return []Finding{judgeVersion(server)} }},
		{"kvbench's kinds", checkDefinitions},
		{"controller", checkController},
		{"results server", checkResults},
		{"Chaos Mesh", checkChaosMesh},
		{"storage class", checkStorage},
		{"nodes", checkNodes},
		{"kernel features", checkKernels},
		{"your rights", checkRights},
		{"deployer account", checkDeployer},
		{"images", checkImages},
		{"quotas", checkQuotas},
		{"clocks", func(ctx context.Context, c *kube.Cluster) []Finding { return checkClocks(ctx, c, server) }},
	}
	found := make([][]Finding, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			found[i] = c.do(ctx, cluster)
			for j := range found[i] {
				found[i][j].Check = c.name
			}
		})
	}
	all.Wait()
	return slices.Concat(found...), ctx.Err()
}
