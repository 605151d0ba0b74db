package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

func installCommand() *cobra.Command {
	c := choice{kind: "local", image: os.Getenv("IMAGE"), kindConfig: os.Getenv("KIND_CONFIG")}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Bring a cluster up, with Chaos Mesh and this checkout's kvbench",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := screen.New(os.Stdout)
			defer s.Keep()
			t, err := c.target(s)
			if err != nil {
				return err
			}
			return install(cmd.Context(), s, t)
		},
	}
	cmd.Flags().StringVar(&c.kind, "cluster", c.kind, "local (hack/localcluster), kind, or current (of the current kubeconfig)")
	cmd.Flags().StringVar(&c.image, "image", c.image, "image REPOSITORY:TAG for --cluster current (default: $IMAGE)")
	cmd.Flags().StringVar(&c.kindConfig, "kind-config", c.kindConfig, "configuration file of kind for --cluster kind (default: $KIND_CONFIG)")
	return cmd
}

// install does what is missing, in order; nothing that is as it should be is touched.
func install(ctx context.Context, s *screen.Screen, t target) error {
	begin := time.Now()
	kubeconfig, err := t.Up(ctx)
	if err != nil {
		return err
	}
	if err := record(kubeconfig); err != nil {
		return err
	}
	k, err := connect(recorded)
	if err != nil {
		return err
	}
	chaos, err := t.ChaosMesh(ctx, k.config)
	if err != nil {
		return err
	}
	if chaos != nil {
		if err := apply(ctx, s, k, chaos); err != nil {
			return err
		}
	}
	// While Chaos Mesh starts, the programs are built.
	built, err := t.Deliver(ctx)
	if err != nil {
		return err
	}
	if err := apply(ctx, s, k, kvbench(built, t.Values())); err != nil {
		return err
	}
	if chaos != nil {
		if err := awaitRollout(ctx, s, k, chaos.Namespace); err != nil {
			return err
		}
	}
	if err := awaitRollout(ctx, s, k, "kvbench-system"); err != nil {
		return err
	}
	s.Say("kvbench %s is installed (%s); KUBECONFIG=%s", built, time.Since(begin).Round(time.Second), recorded)
	return nil
}

func apply(ctx context.Context, s *screen.Screen, k *cluster, r *release) error {
	changed := false
	err := s.Step("Installing the chart "+r.Name, func() (err error) {
		changed, err = r.Apply(ctx, k)
		return err
	})
	if err == nil && !changed {
		s.Say("The chart %s is installed, and unchanged", r.Name)
	}
	return err
}
