package main

import "github.com/spf13/cobra"

func newLoadCommand() *cobra.Command {
	var flags workloadFlags
	command := &cobra.Command{
		Use:   "load",
		Short: "Load this worker's share of a workload's records",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			job, err := flags.connectedJob()
			if err != nil {
				return err
			}
			return job.Load(c.Context())
		},
	}
	flags.add(command.Flags())
	return command
}

func newResetCommand() *cobra.Command {
	var flags workloadFlags
	command := &cobra.Command{
		Use:   "reset",
		Short: "Empty a workload's table",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			job, err := flags.connectedJob()
			if err != nil {
				return err
			}
			return job.Reset(c.Context())
		},
	}
	flags.add(command.Flags())
	return command
}
