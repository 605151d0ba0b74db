// Package version is the verb that tells the versions.
package version

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/results/wire"
	kvbench "github.com/kvbench/kvbench/internal/version"
)

// Versions are what the verb tells.
type Versions struct {
	Client string `json:"client"`
	// Server is the results server's; "" if it doesn't answer.
	Server string `json:"server,omitempty"`
	// Warning says that the two don't fit, or why the server's is missing.
	Warning string `json:"warning,omitempty"`
}

// Command tells them.
func Command(e *env.Env) *cobra.Command {
	out, clientOnly := output.NewFlag(), false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Tell the versions of the command and of the cluster's kvbench",
		Long: `version tells the versions of the command and of the cluster's kvbench. The exit code is 2 if the cluster doesn't tell
its own. --client asks no cluster.`,
		Example: "  kubectl kvbench version\n  kubectl kvbench version --client",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			told := Versions{Client: kvbench.String()}
			var unanswered error
			if !clientOnly {
				ctx, cancel := context.WithTimeout(cmd.Context(), 15*time.Second)
				defer cancel()
				if told.Server, unanswered = ask(ctx, e); unanswered != nil {
					told.Warning = unanswered.Error()
				} else {
					told.Warning = Misfit(told.Client, told.Server)
				}
			}
			err := out.Print(e.Out, told, func(w io.Writer) error {
				fmt.Fprintln(w, "Client:", cmp.Or(told.Client, "unknown"))
				if told.Server != "" {
					fmt.Fprintln(w, "Server:", told.Server)
				}
				if told.Warning != "" && unanswered == nil {
					fmt.Fprintln(e.Err, "Warning:", told.Warning)
				}
				return nil
			})
			return cmp.Or(err, unanswered)
		},
	}
	out.Add(cmd.Flags())
	cmd.Flags().BoolVar(&clientOnly, "client", false, "ask no cluster")
	return cmd
}

// ask is the version of the cluster's kvbench.
func ask(ctx context.Context, e *env.Env) (string, error) {
	cluster, err := e.Flags.Connect()
	if err != nil {
		return "", err
	}
	results := cluster.Results()
	defer results.Close()
	var told wire.Version
	if err := results.Ask(ctx, "/v1/version", &told); err != nil {
		return "", fmt.Errorf("the cluster's version is not known: %w", err)
	}
	return told.Version, nil
}

// Misfit says what is wrong with two versions of the command and the cluster's kvbench, or "". It compares the major and the minor
// version: patches don't change what the two say to each other.
func Misfit(client, server string) string {
	if client == "" || server == "" {
		return "whether the command and the cluster's kvbench fit isn't known: one of them was built without a version (make plugin sets it)"
	}
	if minor(client) == minor(server) {
		return ""
	}
	return fmt.Sprintf("the command is of %s and the cluster's kvbench of %s: install the one that fits, or expect fields that one of them doesn't know", client, server)
}

func minor(version string) string {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return version
	}
	return parts[0] + "." + parts[1]
}
