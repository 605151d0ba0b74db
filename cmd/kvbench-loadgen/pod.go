package main

import "github.com/spf13/cobra"

// newPodCommand holds what the pods of a BenchmarkRun do: they follow its plan and ship to
// the results server.
func newPodCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "pod",
		Short: "What a BenchmarkRun's pods do; the controller calls it",
	}
	command.AddCommand(newLoadCommand(), newMeasureCommand(), newResetCommand(), newObserveCommand(),
		newInstallCommand(), newStartEtcdCommand())
	return command
}
