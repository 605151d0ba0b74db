// Package list is the verb that lists runs and suites.
package list

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/output"
)

const wide output.Format = "wide"

// Command lists them.
func Command(e *env.Env) *cobra.Command {
	out, everywhere := output.NewFlag(wide), false
	cmd := &cobra.Command{
		Use:   "list [runs | suites]",
		Short: "List runs and suites, with those that were deleted and are kept",
		Long: `list shows the runs and suites of the namespace, those that began last first. It also shows
those that the results server keeps after their deletion: their phase is Kept.`,
		Example: `  kubectl kvbench list
  kubectl kvbench list suites -o wide
  kubectl kvbench list runs -o json | jq -r '.[] | select(.valid) | .name'`,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"runs", "suites"},
		RunE: func(cmd *cobra.Command, args []string) error {
			cluster, err := e.Flags.Connect()
			if err != nil {
				return err
			}
			results, namespace := cluster.Results(), cluster.Namespace
			if everywhere {
				results, namespace = cluster.AllResults(), ""
			}
			defer results.Close()
			entries, unanswered, err := inventory.List(cmd.Context(), cluster, results, namespace)
			if err != nil {
				return err
			}
			if unanswered != nil {
				fmt.Fprintln(e.Err, "Without those that are kept, for the results server doesn't answer:", unanswered)
			}
			shown := []inventory.Entry{}
			for _, entry := range entries {
				if len(args) == 0 || args[0] == string(entry.Kind)+"s" {
					shown = append(shown, entry)
				}
			}
			if len(shown) == 0 && out.Format != output.JSON && out.Format != output.YAML {
				fmt.Fprintf(e.Err, "There is nothing yet in %s. kubectl kvbench init writes a first run.\n", where(namespace))
				return nil
			}
			return out.Print(e.Out, shown, func(w io.Writer) error {
				return table(w, shown, everywhere, out.Format == wide, time.Now())
			})
		},
	}
	out.Add(cmd.Flags())
	cmd.Flags().BoolVarP(&everywhere, "all-namespaces", "A", false, "of all namespaces")
	return cmd
}

func where(namespace string) string {
	if namespace == "" {
		return "any namespace"
	}
	return "the namespace " + namespace
}

func table(to io.Writer, entries []inventory.Entry, namespaces, all bool, now time.Time) error {
	header := []string{"NAME", "KIND", "STORE", "NODES", "PHASE", "VALID", "OBJECTIVES", "STARTED"}
	if namespaces {
		header = append([]string{"NAMESPACE"}, header...)
	}
	if all {
		header = append(header, "MODE", "UID", "REASONS")
	}
	var rows [][]string
	for _, e := range entries {
		row := []string{e.Name, string(e.Kind), e.Store, number(e.Members), e.Phase, truth(e.Valid), e.Verdict, ago(e.Started, now)}
		if namespaces {
			row = append([]string{e.Namespace}, row...)
		}
		if all {
			row = append(row, e.Mode, e.UID, strings.Join(e.InvalidReasons, ","))
		}
		rows = append(rows, row)
	}
	return output.Columns(to, header, rows)
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func truth(b *bool) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return "yes"
	}
	return "no"
}

func ago(at *time.Time, now time.Time) string {
	if at == nil {
		return ""
	}
	return duration.HumanDuration(now.Sub(*at)) + " ago"
}
