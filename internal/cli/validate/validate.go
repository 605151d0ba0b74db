// Package validate is the verb that checks files of runs and suites without a cluster: against the resource definitions,
// and then against the catalog, with the controllers' own refusals.
package validate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/output"
)

const long = `validate checks each BenchmarkRun and each BenchmarkSuite of the files. It looks for what the API server would refuse:
unknown fields, wrong types and broken rules. Then it looks for what the controller would refuse: stores, modes,
properties and settings that the catalog doesn't have. Of a suite it checks the run of each combination.

A file can have several YAML documents. ConfigMaps among them serve the runs of the same namespace that name them. Objects
of other kinds are skipped, and a note says so. Of a folder, its .yaml, .yml and .json are checked, without those of kustomize.

Not checked is what only a cluster has: other ConfigMaps, Secrets, namespaces, charts that a run brings, Chaos Mesh, storage
classes, service accounts, nodes, quotas, and room at the results server. A note says which of these a spec names. kubectl
kvbench doctor looks at the cluster.

The exit code is 0 if all is well, 1 if something is refused, and 2 if a file can't be read or if there is no run or suite.`

// Command checks files.
func Command(e *env.Env) *cobra.Command {
	out, files, recursive := output.NewFlag(), []string{}, false
	cmd := &cobra.Command{
		Use:   "validate -f FILE...",
		Short: "Check files of runs and suites without a cluster",
		Long:  long,
		Example: `  kubectl kvbench validate -f first.yaml
  kubectl kvbench validate -f config/samples
  kubectl kustomize config/samples/suites/members/tiny | kubectl kvbench validate -f -
  kubectl kvbench validate -f suite.yaml -o json | jq -r '.[].findings[].field'`,
		RunE: func(cmd *cobra.Command, more []string) error {
			named := slices.Concat(files, more) // a shell's pattern makes several words of one
			if len(named) == 0 {
				return errors.New("name the files to check: kubectl kvbench validate -f FILE")
			}
			contents, unreadable, err := read(cmd.Context(), e.In, named, recursive)
			if err != nil {
				return err
			}
			results, err := Check(cmd.Context(), contents)
			if err != nil {
				return err
			}
			if err := show(e, out, results); err != nil {
				return err
			}
			return verdict(results, unreadable)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&files, "filename", "f", nil, "file or folder to check; - is standard input. May be given several times")
	flags.BoolVarP(&recursive, "recursive", "R", false, "check the folders below a folder, too")
	out.Add(flags)
	return cmd
}

// verdict is the error with the exit code. What can't be read outweighs what is refused: then not all was checked.
func verdict(results []Result, unreadable error) error {
	errs := []error{unreadable}
	refused, checked := 0, 0
	for i := range results {
		switch r := &results[i]; {
		case r.Error != "":
			errs = append(errs, errors.New(line(r.where()+": "+r.Error)))
		case r.Skipped != "":
		case !r.OK:
			refused++
			checked++
		default:
			checked++
		}
	}
	err := errors.Join(errs...)
	switch {
	case err != nil:
		return exit.With(exit.Usage, err)
	case refused > 0:
		return exit.With(exit.Failed, fmt.Errorf("refused: %d of %d objects", refused, checked))
	case checked == 0:
		return exit.With(exit.Usage, errNothing)
	}
	return nil
}
