// Package initialize is the verb init, which asks five questions and writes the YAML of a first run.
package initialize

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/env"
)

// Command asks and writes.
func Command(e *env.Env) *cobra.Command {
	to, given := target{file: "first.yaml"}, []string{}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Ask five questions, and write the YAML of a first run",
		Long: `init asks which store to measure, with how many members, which workload, under which load, and which fault. Each
question has a default. It writes a BenchmarkRun with comments, and says how to run it. It needs no cluster.

--answers is for scripts: then nothing is asked, and what isn't answered has its default. --answers '' takes all
defaults. It takes key=value, or a file with a key=value on each line; - is standard input. Keys are
  store      a store of the catalog, such as etcd (default)
  mode       a mode of the store (default: the store's own; it is never asked)
  nodes      the number of members (default 3)
  workload   one of YCSB's presets A to F, or mixgraph (default A)
  rate       operations/s of an open loop (default 1000), or closed for a closed loop
  fault      None, or who is hit and by what, such as LeaderKill (default, if a member leads all others, else MemberKill)

The name of the run is that of the file without .yaml. A file that is there is kept, unless --force is given.

The exit code is 0 if the file is written, 2 if an answer or the file is wrong, and 130 after Ctrl-C. Without 0 nothing is
written.`,
		Example: `  kubectl kvbench init
  kubectl kvbench init --answers store=redis,nodes=3,workload=B,rate=500,fault=LeaderPodKill
  kubectl kvbench init --answers store=etcd --answers rate=closed --filename closed.yaml
  kubectl kvbench init --answers '' --filename - | kubectl kvbench validate -f -
  echo nodes=5 | kubectl kvbench init --answers - --filename five.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := to.check(); err != nil {
				return err
			}
			chosen, err := choose(cmd.Context(), e, to.name(), cmd.Flags().Changed("answers"), given)
			if err != nil {
				return err
			}
			if err := to.write(e.Out, render(chosen)); err != nil {
				return err
			}
			to.sayNext(e.Err)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&given, "answers", nil, "answers as key=value, or files with them, with commas between; ask nothing")
	flags.StringVarP(&to.file, "filename", "f", to.file, "file to write; - is standard output")
	flags.BoolVar(&to.force, "force", false, "write over a file that is there")
	return cmd
}

// choose takes the answers that were given, or asks for them.
func choose(ctx context.Context, e *env.Env, name string, scripted bool, given []string) (*answers, error) {
	if scripted {
		all, err := withFiles(e.In, given)
		if err != nil {
			return nil, err
		}
		return fromScript(name, all)
	}
	if !e.Interactive() {
		return nil, errors.New("init asks five questions, and there is no terminal to answer at: give --answers, such as --answers store=etcd,fault=LeaderKill, or --answers '' for the defaults")
	}
	return interview(name, e.Err, func(prompt string) (string, error) { return ask(ctx, e, prompt) })
}

// ask waits for an answer, or for the end of the context: an interrupt doesn't end a read from a terminal.
func ask(ctx context.Context, e *env.Env, prompt string) (string, error) {
	type reply struct {
		text string
		err  error
	}
	replies := make(chan reply, 1)
	go func() {
		text, err := e.Ask(prompt)
		replies <- reply{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(e.Err, "\nInterrupted: nothing is written.")
		return "", ctx.Err()
	case r := <-replies:
		if errors.Is(r.err, io.EOF) {
			fmt.Fprintln(e.Err) // behind the question
			return "", errors.New("the answers ended before the questions: nothing is written")
		}
		return r.text, r.err
	}
}
