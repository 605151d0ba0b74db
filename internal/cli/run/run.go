// Package run is the verb that does a run or a suite.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/follow"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/keep"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/cli/report"
	"github.com/kvbench/kvbench/internal/cli/screen"
)

type options struct {
	file    string
	wait    bool
	replace bool
	timeout time.Duration
	keep    string
	out     *output.Flag
}

// Command applies a file, and follows what it declares.
func Command(e *env.Env) *cobra.Command {
	o := options{wait: true, out: output.NewFlag()}
	cmd := &cobra.Command{
		Use:   "run -f FILE",
		Short: "Do a BenchmarkRun or a BenchmarkSuite: show its progress, and print its report",
		Long: `run creates the BenchmarkRun or the BenchmarkSuite of a file and follows it to its end. Progress goes
to standard error, the report and the verdict to standard output.

The exit code is 0 if a run is complete, its numbers are valid, and its objectives are kept. It is 1 if it
failed, if an objective isn't kept, or if the file is refused, and 3 if the numbers are not valid or don't decide.

Ctrl-C asks whether to cancel it. Without a terminal it goes on in the cluster.`,
		Example: `  kubectl kvbench run -f config/samples/etcd-leader-kill.yaml
  kubectl kvbench run -f run.yaml --replace --keep results/
  kubectl kvbench run -f suite.yaml --wait=false
  cat run.yaml | kubectl kvbench run -f - -o json | jq .valid`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.file == "" {
				return errors.New("name the file of a BenchmarkRun or a BenchmarkSuite: kubectl kvbench run -f FILE")
			}
			if o.keep != "" && !o.wait {
				return errors.New("--keep needs the end of the run: drop --wait=false")
			}
			content, err := read(e.In, o.file)
			if err != nil {
				return err
			}
			object, err := Parse(cmd.Context(), o.file, content)
			if err != nil {
				return err
			}
			if _, is := object.(*v1alpha1.BenchmarkRun); !is && o.keep != "" {
				return errors.New("--keep is for runs: kubectl kvbench report prints what a suite found")
			}
			cluster, err := e.Flags.Connect()
			if err != nil {
				return err
			}
			if err := place(object, cluster, cmd.Flags().Changed("namespace")); err != nil {
				return err
			}
			return o.do(cmd.Context(), e, cluster, object)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.file, "filename", "f", "", "file of a BenchmarkRun or a BenchmarkSuite; - is standard input")
	flags.BoolVar(&o.wait, "wait", o.wait, "follow it to its end")
	flags.BoolVar(&o.replace, "replace", false, "delete an earlier one of the same name first")
	flags.DurationVar(&o.timeout, "timeout", 0, "how long to follow it, such as 30m; it goes on in the cluster after that (default: to its end)")
	flags.StringVar(&o.keep, "keep", "", "folder for report.json, report.md, charts.json, the page report.html and the raw data of a run")
	o.out.Add(flags)
	return cmd
}

func read(in io.Reader, file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(in)
	}
	return os.ReadFile(file)
}

// place decides the namespace: the file's, or the user's.
func place(object client.Object, cluster *kube.Cluster, asked bool) error {
	switch {
	case object.GetNamespace() == "":
		object.SetNamespace(cluster.Namespace)
	case asked && object.GetNamespace() != cluster.Namespace:
		return fmt.Errorf("the file is of the namespace %s, and --namespace says %s: change one of them", object.GetNamespace(), cluster.Namespace)
	}
	cluster.Namespace = object.GetNamespace()
	return nil
}

// do is the whole way of one object.
func (o *options) do(ctx context.Context, e *env.Env, cluster *kube.Cluster, object client.Object) error {
	s := screen.New(e.Err)
	defer s.Keep()
	followed, cancel := ctx, context.CancelFunc(func() {})
	if o.timeout > 0 {
		followed, cancel = context.WithTimeout(ctx, o.timeout)
	}
	defer cancel()
	if o.replace && object.GetName() == "" {
		return errors.New("--replace deletes what has the name of the file's object, which has a generateName alone: leave --replace out")
	}
	if o.replace {
		err := removeEarlier(followed, s, cluster, object)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return exit.With(exit.Unknown, fmt.Errorf("the earlier %s is not gone after %s, so nothing was begun: kubectl kvbench get %s says what holds it", nameOf(object), o.timeout, nameOf(object)))
		}
		if err != nil {
			return err
		}
	}
	if err := Create(ctx, cluster, object); err != nil {
		return err
	}
	reference := nameOf(object)
	s.Say("Created %s in the namespace %s", reference, object.GetNamespace())
	if !o.wait {
		s.Say("To follow it:  kubectl kvbench -n %s watch %s", object.GetNamespace(), reference)
		return nil
	}
	results := cluster.Results()
	defer results.Close()
	err := follow.Object(followed, s, cluster, results, object)
	s.Keep()
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return exit.With(exit.Unknown, fmt.Errorf("%s has not ended after %s. %s", reference, o.timeout, goesOn(object)))
	case errors.Is(err, context.Canceled):
		return interrupted(e, s, cluster, object)
	case err != nil:
		return kube.Explain(err)
	}
	return o.conclude(ctx, e, s, results, object)
}

// conclude prints the report and the verdict. The verdict is known without the results server, so it is told in any case.
func (o *options) conclude(ctx context.Context, e *env.Env, s *screen.Screen, results *kube.Results, object client.Object) error {
	fetching := o.fetch(ctx, e, s, results, object)
	code, lines := follow.Verdict(object)
	verdict := e.Err // JSON and YAML are for programs, which have the exit code
	if o.out.Format == output.Table {
		verdict = e.Out
	}
	for _, line := range lines {
		fmt.Fprintln(verdict, line)
	}
	switch {
	case code != 0:
		return exit.With(code, fetching)
	case fetching != nil:
		return fetching
	}
	return nil
}

// fetch prints the report, and keeps it where that was asked for.
func (o *options) fetch(ctx context.Context, e *env.Env, s *screen.Screen, results *kube.Results, object client.Object) error {
	entry := inventory.Of(object)
	if !entry.Reported {
		return nil
	}
	if _, err := report.Print(ctx, e.Out, results, entry, o.out.Format); err != nil {
		return err
	}
	run, is := object.(*v1alpha1.BenchmarkRun)
	if !is || o.keep == "" {
		return nil
	}
	if err := keep.Fetch(ctx, results, string(run.UID), o.keep); err != nil {
		return err
	}
	s.Say("report.html, report.json, report.md and the raw data, bundle/, are in %s", o.keep)
	return nil
}

// Create has the API server take the object, or says why it doesn't.
func Create(ctx context.Context, cluster client.Client, object client.Object) error {
	if err := cluster.Create(ctx, object); err != nil {
		return refusal(err, object)
	}
	return nil
}

// refusal says what to do about an object that wasn't created.
func refusal(err error, object client.Object) error {
	switch {
	case apierrors.IsAlreadyExists(err):
		return fmt.Errorf("%s is already there in the namespace %s: --replace deletes it first; its report is kept", nameOf(object), object.GetNamespace())
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return exit.With(exit.Failed, fmt.Errorf("the API server refused it: %w", err))
	}
	return kube.Explain(err)
}

func nameOf(object client.Object) string { return inventory.Of(object).Reference() }

func goesOn(object client.Object) string {
	return fmt.Sprintf("It goes on in the cluster.\nTo follow it:  kubectl kvbench -n %s watch %s\nTo cancel it:  kubectl kvbench -n %s cancel %s",
		object.GetNamespace(), nameOf(object), object.GetNamespace(), nameOf(object))
}

// interrupted asks what to do with what is under way.
func interrupted(e *env.Env, s *screen.Screen, cluster *kube.Cluster, object client.Object) error {
	if e.Interactive() {
		answer, err := e.Ask(fmt.Sprintf("Cancel %s? It goes on in the cluster otherwise. [y/N] ", nameOf(object)))
		if err == nil && (answer == "y" || answer == "yes") {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			if err := kube.Delete(ctx, cluster, object); err != nil {
				return err
			}
			s.Say("%s is cancelled. What it created is being deleted.", nameOf(object))
			return context.Canceled
		}
	}
	s.Say("%s", goesOn(object))
	return context.Canceled
}

// removeEarlier deletes an object of the same name, and waits until all of it is gone.
func removeEarlier(ctx context.Context, s *screen.Screen, cluster *kube.Cluster, wanted client.Object) error {
	earlier := wanted.DeepCopyObject().(client.Object)
	key := client.ObjectKeyFromObject(wanted)
	if err := cluster.Get(ctx, key, earlier); err != nil {
		return kube.Explain(client.IgnoreNotFound(err))
	}
	return s.Step("Deleting the earlier "+nameOf(wanted), func() error { return kube.DeleteAndWait(ctx, cluster, earlier) })
}
