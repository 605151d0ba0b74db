package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen"
	"github.com/kvbench/kvbench/internal/observer"
	"github.com/kvbench/kvbench/internal/stores"
)

func newObserveCommand() *cobra.Command {
	var flags runFlags
	var listen string
	command := &cobra.Command{
		Use:   "observe",
		Short: "Observe the store's members until told to end",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := flags.readPlan()
			if err != nil {
				return err
			}
			credentials, err := stores.ReadCredentials(flags.credentials, p.Store.Security)
			if err != nil {
				return err
			}
			clock := loadgen.NewClock(time.Now)
			server, err := flags.connect(clock)
			if err != nil {
				return err
			}
			return observer.Run(c.Context(), observer.Options{
				Plan: p, Client: server, DataDir: flags.data, Listen: listen, Now: clock.Now, Say: say,
				Credentials: credentials,
				Writer:      bundle.Writer{Role: bundle.RoleObserver, PodUID: flags.podUID},
			})
		},
	}
	flags.add(command.Flags())
	command.Flags().StringVar(&listen, "listen", ":8080", "address of /readyz (steady), /v1/sample and /metrics")
	return command
}
