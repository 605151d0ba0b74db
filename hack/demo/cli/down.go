package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

func downCommand() *cobra.Command {
	c := choice{kind: "local"}
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Remove a cluster that install made",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := screen.New(os.Stdout)
			defer s.Keep()
			t, err := c.target(s)
			if err != nil {
				return err
			}
			return t.Down(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&c.kind, "cluster", c.kind, "local or kind")
	return cmd
}
