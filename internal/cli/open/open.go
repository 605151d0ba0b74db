// Package open is the verb that shows a report outside the terminal.
package open

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/report"
)

// Command opens one.
func Command(e *env.Env) *cobra.Command {
	uid, file := "", ""
	cmd := &cobra.Command{
		Use:   "open NAME",
		Short: "Open the report of a run or a suite in a browser",
		Long: `open writes the report of a run or a suite into a file, as one page with charts, and opens it in a browser. The page loads
nothing: you can send the file to others. Where this machine has no program for such files, open says where the file is.`,
		Example: `  kubectl kvbench open etcd-leader-kill
  kubectl kvbench open etcd-leader-kill --file report.html
  kubectl kvbench open suite/etcd-hazelcast --file suite.html`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: e.CompleteNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.Find(cmd.Context(), args[0], uid, func(ctx context.Context, _ *kube.Cluster, results *kube.Results, entry *inventory.Entry) error {
				if file == "" {
					var err error
					if file, err = place(entry); err != nil {
						return err
					}
				}
				var document bytes.Buffer
				if _, err := report.Print(ctx, &document, results, entry, report.HTML); err != nil {
					return err
				}
				if err := os.WriteFile(file, document.Bytes(), 0o600); err != nil {
					return err
				}
				return show(ctx, e, entry, file)
			})
		},
	}
	cmd.Flags().StringVar(&uid, "uid", "", "UID, or its begin, of one of several with the name")
	cmd.Flags().StringVar(&file, "file", "", "where to write the report (default: a new file of the user's cache)")
	return cmd
}

// place is a file that only the user reads. It stays, for the program that shows it may read it late.
func place(entry *inventory.Entry) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding a place for the report: %w: name one with --file", err)
	}
	folder := filepath.Join(cache, "kvbench", "reports")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	return filepath.Join(folder, entry.Namespace+"-"+entry.Name+"-"+entry.UID[:min(8, len(entry.UID))]+".html"), nil
}

func show(ctx context.Context, e *env.Env, entry *inventory.Entry, file string) error {
	fmt.Fprintf(e.Err, "The report of %s is in %s.\n", entry.Reference(), file)
	program, has := opener(runtime.GOOS, os.Getenv)
	if !has {
		return nil
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return nil // the sentence above says where the report is
	}
	viewer := exec.CommandContext(ctx, path, file) // its output isn't read: what it starts has the same, and lives on
	if err := viewer.Run(); err != nil {
		return fmt.Errorf("%s could not open %s: %w: open it with another program, or name one for such files", program, file, err)
	}
	return nil
}

// opener is the program of a desktop; there is none without a screen.
func opener(system string, getenv func(string) string) (program string, has bool) {
	switch {
	case system == "darwin":
		return "open", true
	case getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "":
		return "xdg-open", true
	}
	return "", false
}
