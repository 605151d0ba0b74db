package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// explainArguments has each verb say what to write where it gets too few arguments, too many, or others than it takes.
func explainArguments(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		explainArguments(below)
	}
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return fmt.Errorf("%w\nWrite:  %s\n%s --help has examples", err, c.UseLine(), c.CommandPath())
		}
		return nil
	}
}
