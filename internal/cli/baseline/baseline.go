// Package baseline has the verbs of baselines: what suites found, kept by name for later suites to be compared with.
package baseline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/editdistance"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// Command has the verbs below it.
func Command(e *env.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Keep what a suite found under a name, for later suites to be compared with",
		Long: `A baseline is what a complete suite found, kept under a name of the namespace. Objectives of later suites compare with
it, and so does kubectl kvbench compare.`,
	}
	cmd.AddCommand(listCommand(e), getCommand(e), setCommand(e), deleteCommand(e))
	return cmd
}

// connected gives a verb its cluster and the results server.
func connected(e *env.Env, do func(ctx context.Context, cluster *kube.Cluster, results *kube.Results, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cluster, err := e.Flags.Connect()
		if err != nil {
			return err
		}
		results := cluster.Results()
		defer results.Close()
		return do(cmd.Context(), cluster, results, args)
	}
}

func folder(namespace string) string { return "/v1/baselines/" + url.PathEscape(namespace) }

func location(namespace, name string) string { return folder(namespace) + "/" + url.PathEscape(name) }

func listCommand(e *env.Env) *cobra.Command {
	out := output.NewFlag()
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the baselines of the namespace",
		Example: "  kubectl kvbench baseline list",
		Args:    cobra.NoArgs,
		RunE: connected(e, func(ctx context.Context, cluster *kube.Cluster, results *kube.Results, _ []string) error {
			var kept wire.BaselineList
			if err := results.Ask(ctx, folder(cluster.Namespace), &kept); err != nil {
				return err
			}
			if len(kept.Baselines) == 0 && out.Format == output.Table {
				fmt.Fprintf(e.Err, "The namespace %s has no baseline. kubectl kvbench baseline set NAME --suite SUITE keeps one.\n", cluster.Namespace)
				return nil
			}
			return out.Print(e.Out, kept.Baselines, func(w io.Writer) error {
				var rows [][]string
				for _, b := range kept.Baselines {
					rows = append(rows, []string{b.Name, b.Suite, fmt.Sprint(b.Combinations), time.Unix(0, b.KeptAtUnixNanos).Local().Format(time.DateTime)})
				}
				return output.Columns(w, []string{"NAME", "SUITE", "COMBINATIONS", "KEPT AT"}, rows)
			})
		}),
	}
	out.Add(cmd.Flags())
	return cmd
}

func getCommand(e *env.Env) *cobra.Command {
	out := output.NewFlag()
	out.Format = output.JSON
	cmd := &cobra.Command{
		Use:               "get NAME",
		Short:             "Print a baseline, for a file in Git or for people",
		Example:           "  kubectl kvbench baseline get released > baseline.json\n  kubectl kvbench baseline get released -o table",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeNames(e),
		RunE: connected(e, func(ctx context.Context, cluster *kube.Cluster, results *kube.Results, args []string) error {
			document, err := results.Get(ctx, location(cluster.Namespace, args[0]))
			if err != nil {
				return withNearest(ctx, results, cluster.Namespace, args[0], err)
			}
			return write(e.Out, document, out)
		}),
	}
	out.Add(cmd.Flags())
	return cmd
}

func setCommand(e *env.Env) *cobra.Command {
	suite, file := "", ""
	cmd := &cobra.Command{
		Use:   "set NAME (--suite SUITE | --filename FILE)",
		Short: "Keep what a suite found, or what a file has, under a name",
		Example: `  kubectl kvbench baseline set released --suite nightly
  kubectl kvbench baseline set released --filename baseline.json`,
		Args: cobra.ExactArgs(1),
		RunE: connected(e, func(ctx context.Context, cluster *kube.Cluster, results *kube.Results, args []string) error {
			document, of, err := source(ctx, e, cluster, results, suite, file)
			if err != nil {
				return err
			}
			if err := results.Put(ctx, location(cluster.Namespace, args[0]), document); err != nil {
				return err
			}
			fmt.Fprintf(e.Err, "%s is kept as the baseline %s of the namespace %s.\n", of, args[0], cluster.Namespace)
			return nil
		}),
	}
	cmd.Flags().StringVar(&suite, "suite", "", "suite, which must be complete")
	cmd.Flags().StringVarP(&file, "filename", "f", "", "file of a baseline; - is standard input")
	return cmd
}

// source is the document to keep, and what it is of.
func source(ctx context.Context, e *env.Env, cluster *kube.Cluster, results *kube.Results, suite, file string) (document []byte, of string, err error) {
	switch {
	case (suite == "") == (file == ""):
		return nil, "", errors.New("name what to keep: either --suite SUITE or --filename FILE")
	case file == "-":
		document, err = io.ReadAll(e.In)
		return document, "Standard input", err
	case file != "":
		document, err = os.ReadFile(file)
		return document, file, err
	}
	entry, err := inventory.Find(ctx, cluster, results, string(inventory.Suite)+"/"+suite, "")
	if err != nil {
		return nil, "", err
	}
	document, err = results.Get(ctx, forward.SuiteLocation(entry.UID)+"/baseline.json")
	return document, "What the suite " + suite + " found", err
}

func deleteCommand(e *env.Env) *cobra.Command {
	return &cobra.Command{
		Use:               "delete NAME",
		Short:             "Forget a baseline",
		Long:              "delete forgets a baseline. Suites that are compared with it have a copy, and go on.",
		Example:           "  kubectl kvbench baseline delete released",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeNames(e),
		RunE: connected(e, func(ctx context.Context, cluster *kube.Cluster, results *kube.Results, args []string) error {
			if err := results.Delete(ctx, location(cluster.Namespace, args[0])); err != nil {
				return withNearest(ctx, results, cluster.Namespace, args[0], err)
			}
			fmt.Fprintf(e.Err, "The baseline %s of the namespace %s is deleted.\n", args[0], cluster.Namespace)
			return nil
		}),
	}
}

// withNearest adds the name that is most like it to an error of one that there isn't.
func withNearest(ctx context.Context, results *kube.Results, namespace, name string, err error) error {
	var refused *forward.Refusal
	if !errors.As(err, &refused) || refused.Reason != wire.ReasonNotFound {
		return err
	}
	if meant := editdistance.Nearest(name, names(ctx, results, namespace)); meant != "" {
		return fmt.Errorf("the namespace %s has no baseline %s; did you mean %s?", namespace, name, meant)
	}
	return fmt.Errorf("the namespace %s has no baseline %s; kubectl kvbench baseline list shows those there are", namespace, name)
}

// names are those of the namespace's baselines, or none where the server doesn't tell.
func names(ctx context.Context, results *kube.Results, namespace string) (all []string) {
	var kept wire.BaselineList
	if results.Ask(ctx, folder(namespace), &kept) != nil {
		return nil
	}
	for _, b := range kept.Baselines {
		all = append(all, b.Name)
	}
	return all
}

// completeNames has shells suggest the baselines of the namespace.
func completeNames(e *env.Env) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		cluster, err := e.Flags.Connect()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		results := cluster.Results()
		defer results.Close()
		return names(cmd.Context(), results, cluster.Namespace), cobra.ShellCompDirectiveNoFileComp
	}
}
