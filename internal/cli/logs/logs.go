// Package logs is the verb that shows what all that takes part in a run has written, in order of time.
package logs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/output"
)

type options struct {
	follow   bool
	since    time.Duration
	tail     int64
	of       []string
	pods     []string
	previous bool
	uid      string
	every    time.Duration // between two looks while following
	out      *output.Flag
}

// Command shows the logs.
func Command(e *env.Env) *cobra.Command {
	o := options{tail: -1, of: words(), previous: true, every: lookEvery, out: output.NewFlag()}
	cmd := &cobra.Command{
		Use:   "logs NAME",
		Short: "Show the logs of a run's members, workers, observer and controller, and its events, in order of time",
		Long: `logs shows what the pods of a run have written, what the controller has written about the run, and the run's events, all
in order of time. Of a suite it shows its runs. A container that was started again has two logs, and both are shown.

Times are of the clocks of the nodes that the pods run on, in this machine's time zone. The order of two lines of different
nodes is as exact as these clocks. With --follow, a line that arrives late stands where it arrived. Control characters are shown
as escapes, such as \x1b. With -o json each line is one object. JSON and YAML have all of a line's time, in UTC, and the text as
it was written.

With --follow, logs ends when the run has ended and its logs are read to their end. It doesn't wait for a store that is kept, and
gives up a log that says nothing for about 10 seconds after the run, with a complaint. Its exit code is 2 where no pod had a
log, or one could not be read.

Logs go with their pods, and a run's pods go when it has ended, but for those that its spec.retain keeps. If none are left, logs
shows the events that the cluster still has, says what else is left, and its exit code is 2. Only those who may read the logs of
kvbench's own namespace see the controller's; others are told so, and see the rest.`,
		Example: `  kubectl kvbench logs etcd-leader-kill
  kubectl kvbench logs etcd-leader-kill --follow --of members,events
  kubectl kvbench logs etcd-leader-kill --pod etcd-0 --since 2m --tail 20
  kubectl kvbench logs etcd-leader-kill -o json | jq -r 'select(.role == "member") | .line'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: e.CompleteNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			roles, err := parseWanted(o.of)
			if err != nil {
				return err
			}
			if o.since < 0 {
				return errors.New("--since is how long ago, such as 5m: it can't be negative")
			}
			cluster, err := e.Flags.Connect()
			if err != nil {
				return err
			}
			results := cluster.Results()
			defer results.Close()
			entry, err := inventory.Find(cmd.Context(), cluster, results, args[0], o.uid)
			if err != nil {
				return err
			}
			return o.show(cmd.Context(), e, cluster, entry, roles)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&o.follow, "follow", "f", false, "go on with what is written from now on, also by new pods, until the run has ended")
	flags.DurationVar(&o.since, "since", 0, "only what is newer than this, such as 5m")
	flags.Int64Var(&o.tail, "tail", o.tail, "at most so many of the last lines of each container, of the controller, and of the events; -1 is all, and 0 with --follow only what is new")
	flags.StringSliceVar(&o.of, "of", o.of, "whose lines to show")
	flags.StringSliceVar(&o.pods, "pod", nil, "only of these pods of the run, and their events: a pod's name, or the short one that is shown, such as etcd-0")
	flags.BoolVar(&o.previous, "previous", o.previous, "also show the log from before a container's last start, where its node has it")
	flags.StringVar(&o.uid, "uid", "", "UID, or its begin, of one of several with the name")
	o.out.Add(flags)
	return cmd
}

func (o *options) show(ctx context.Context, e *env.Env, cluster *kube.Cluster, entry *inventory.Entry, roles wanted) error {
	v := &view{
		cluster: cluster, entry: entry, open: openWith(cluster.Clients), wanted: roles, pods: o.pods, previous: o.previous,
		span:    span{since: sinceOf(o.since, time.Now()), tail: o.tail},
		printer: &printer{to: e.Out, format: o.out.Format, runs: entry.Kind == inventory.Suite},
		err:     e.Err, every: o.every, lives: map[string]*life{}, seen: map[string]bool{},
	}
	if e.Colours() {
		v.printer.colours = &colours{}
	}
	s, err := v.look(ctx)
	if err != nil {
		return err
	}
	v.subjects.Store(&s.subjects)
	err = v.history(ctx, s)
	follows := o.follow && !s.over
	if err == nil && follows {
		err = v.follow(ctx)
	}
	if err = errors.Join(err, v.printer.end()); err != nil {
		return err
	}
	return v.verdict(s.over, follows)
}

// verdict is the error with which the command ends, or nil. over is how it was at the first look, and followed says what came after.
func (v *view) verdict(over, followed bool) error {
	a := asked{v.wanted, v.pods}
	switch read, failed := v.count(); {
	case v.wanted.pods() && read == 0 && followed:
		return fmt.Errorf("%s has ended, and had no pod with a log of %s while it was followed", v.entry.Reference(), a.words())
	case v.wanted.pods() && read == 0:
		return nothing(v.entry, over, a, v.printer.lines)
	case failed > 0:
		return fmt.Errorf("%d of the logs can't be read: the complaints above say why", failed)
	}
	return nil
}

// asked is whose logs the user asks for.
type asked struct {
	roles wanted
	pods  pick
}

// words name the run's own pods that are asked for.
func (a asked) words() string {
	if len(a.pods) > 0 {
		return "the name " + strings.Join(a.pods, " or ")
	}
	var words []string
	for _, k := range kinds[:3] {
		if a.roles[k.role] {
			words = append(words, k.word)
		}
	}
	return "the roles " + strings.Join(words, ", ")
}

// nothing says why there is no log of a pod, and what is left. shown is how many lines were.
func nothing(entry *inventory.Entry, over bool, a asked, shown int) error {
	reference := entry.Reference()
	if !over {
		return fmt.Errorf("%s is %s, and has no pod with a log of %s: --follow waits for one", reference, entry.Phase, a.words())
	}
	state := "has ended"
	if !entry.InCluster {
		state = "was deleted"
	}
	left := []string{}
	if shown > 0 {
		left = append(left, "the lines above")
	}
	if !a.roles[Event] {
		left = append(left, "its events, while the cluster has them (--of events)")
	}
	if entry.Reported {
		left = append(left, fmt.Sprintf("its report (kubectl kvbench -n %s report %s)", entry.Namespace, reference))
	}
	if len(left) == 0 {
		left = append(left, "nothing")
	}
	return fmt.Errorf("%s %s, and no pod with a log of %s is left; what is left of it: %s", reference, state, a.words(), strings.Join(left, ", and "))
}
