package main

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/version"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print which kvbench this is",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "kvbench %s (%s, %s/%s)\n",
				cmp.Or(version.String(), "built without a version"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
