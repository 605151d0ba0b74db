// Package env is what each verb of kubectl kvbench is given.
package env

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
)

// Env has the streams, and the flags that all verbs share.
type Env struct {
	Flags *kube.Flags
	In    io.Reader
	Out   io.Writer // what was asked for
	Err   io.Writer // progress, questions and complaints
}

// Interactive says whether somebody can answer a question.
func (e *Env) Interactive() bool { return isTerminal(e.In) && isTerminal(e.Err) }

// Colours says whether colours are wanted: on a terminal, unless NO_COLOR is set (https://no-color.org).
func (e *Env) Colours() bool { return isTerminal(e.Out) && os.Getenv("NO_COLOR") == "" }

func isTerminal(stream any) bool {
	file, is := stream.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

// Ask puts a question and returns the answer, without spaces around it.
func (e *Env) Ask(question string) (string, error) {
	fmt.Fprint(e.Err, question)
	line, err := bufio.NewReader(e.In).ReadString('\n')
	if err != nil && line == "" {
		return "", fmt.Errorf("reading the answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// Find connects to the cluster, and gives do the run or the suite that has the name, as inventory.Find has it.
func (e *Env) Find(ctx context.Context, name, uid string, do func(context.Context, *kube.Cluster, *kube.Results, *inventory.Entry) error) error {
	cluster, err := e.Flags.Connect()
	if err != nil {
		return err
	}
	results := cluster.Results()
	defer results.Close()
	entry, err := inventory.Find(ctx, cluster, results, name, uid)
	if err != nil {
		return err
	}
	return do(ctx, cluster, results, entry)
}

// CompleteNames suggests the names of the runs and suites that the user can see.
func (e *Env) CompleteNames(cmd *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	cluster, err := e.Flags.Connect()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	results := cluster.Results()
	defer results.Close()
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	entries, _, err := inventory.List(ctx, cluster, results, cluster.Namespace)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	seen := map[string]bool{}
	var names []string
	for i := range entries {
		for _, name := range []string{entries[i].Name, entries[i].Reference()} {
			if strings.HasPrefix(name, toComplete) && !seen[name] && (name == entries[i].Name || strings.Contains(toComplete, "/")) {
				seen[name] = true
				names = append(names, name+"\t"+string(entries[i].Kind)+", "+entries[i].Phase)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
