// Package open is the verb that shows the live page, or a report, outside the terminal.
package open

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/follow"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/livepage"
	"github.com/kvbench/kvbench/internal/cli/report"
)

// options are the flags.
type options struct {
	uid, file string
	port      int
}

// Command opens one, or the live page.
func Command(e *env.Env) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "open [NAME]",
		Short: "Open the live page of all runs, or the report of one, in a browser",
		Long: `open without a name shows all runs and suites of the namespace in a browser, and each of them while it goes on. It serves the
page on 127.0.0.1 until Ctrl-C, and asks the cluster and the results server as you. The address has a secret: give it to nobody.
With the name of a run or a suite that is under way, the page begins with that.

open with the name of a run or a suite that has ended writes its report into a file, as one page with charts, and
opens it. The page loads nothing: you can send the file to others. Where this machine has no program for such files, open
says where the file is.`,
		Example: `  kubectl kvbench open
  kubectl kvbench open --port 8765
  kubectl kvbench open etcd-leader-kill
  kubectl kvbench open etcd-leader-kill --file report.html
  kubectl kvbench open suite/etcd-hazelcast --file suite.html`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: e.CompleteNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if o.file != "" || o.uid != "" {
					return errors.New("--file and --uid are for one run or suite: name it")
				}
				cluster, err := e.Flags.Connect()
				if err != nil {
					return err
				}
				results := cluster.Results()
				defer results.Close()
				return serve(cmd.Context(), e, cluster, results, o.port, "")
			}
			return e.Find(cmd.Context(), args[0], o.uid, func(ctx context.Context, cluster *kube.Cluster, results *kube.Results, entry *inventory.Entry) error {
				if goesOn(entry) && o.file == "" {
					return serve(ctx, e, cluster, results, o.port, fmt.Sprintf("#/%s/%s/%s", entry.Kind, entry.Name, entry.UID))
				}
				return openReport(ctx, e, results, entry, o.file)
			})
		},
	}
	cmd.Flags().StringVar(&o.uid, "uid", "", "UID, or its begin, of one of several with the name")
	cmd.Flags().StringVar(&o.file, "file", "", "where to write the report (default: a new file of the user's cache)")
	cmd.Flags().IntVar(&o.port, "port", 0, "port of 127.0.0.1 for the live page (default: any that is free)")
	return cmd
}

// goesOn says that there is no report yet, and may be one.
func goesOn(entry *inventory.Entry) bool {
	switch {
	case entry.RunResource != nil:
		return !follow.Ended(entry.RunResource)
	case entry.SuiteResource != nil:
		return !follow.SuiteEnded(entry.SuiteResource)
	}
	return false
}

// serve serves the live page until ctx ends.
func serve(ctx context.Context, e *env.Env, cluster *kube.Cluster, results *kube.Results, port int, at string) error {
	key, drop, err := keyFile()
	if err != nil {
		return err
	}
	defer drop()
	var viewing sync.WaitGroup
	err = livepage.New(cluster, results).Serve(ctx, port, func(address string) {
		fmt.Fprintf(e.Err, "The live page of the namespace %s is at\n\n  %s%s\n\nIt is served until you press Ctrl-C.\n", cluster.Namespace, address, at)
		viewing.Go(func() {
			if err := showAddress(ctx, key, address+at); err != nil {
				fmt.Fprintln(e.Err, err)
			}
		})
	})
	viewing.Wait()
	return err
}

// keyFile is a new file that only the user reads, and what removes it.
func keyFile() (file string, drop func(), err error) {
	made, err := os.CreateTemp("", "kvbench-*.html")
	if err != nil {
		return "", nil, fmt.Errorf("making a file for the browser: %w", err)
	}
	return made.Name(), func() { _ = os.Remove(made.Name()) }, made.Close()
}

// showAddress has the browser open a file that leads to the address. As an argument of a program, other users would see its secret.
func showAddress(ctx context.Context, file, address string) error {
	page := fmt.Sprintf("<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0; url=%[1]s\"><a href=\"%[1]s\">kvbench</a>\n", html.EscapeString(address))
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		return err
	}
	return view(ctx, file)
}

func openReport(ctx context.Context, e *env.Env, results *kube.Results, entry *inventory.Entry, file string) error {
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
	fmt.Fprintf(e.Err, "The report of %s is in %s.\n", entry.Reference(), file)
	return view(ctx, file)
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

// view shows a file or an address, where this machine has a program for it. What is printed says where it is.
func view(ctx context.Context, what string) error {
	program, has := opener(runtime.GOOS, os.Getenv)
	if !has {
		return nil
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return nil
	}
	viewer := exec.CommandContext(ctx, path, what) // its output isn't read: what it starts has the same, and lives on
	if err := viewer.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s could not open %s: %w: open it with another program, or name one for such files", program, what, err)
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
