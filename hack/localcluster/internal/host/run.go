// Package host makes the changes that a cluster needs on the machine outside of its own state folder:
// packages, kernel settings, bridges, firewall rules. It also undoes each of them. It finds what to undo
// by the cluster's own names alone.
package host

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
)

// run executes a program of the machine and returns its output; an error holds
// what it said.
func run(input string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stdin = strings.NewReader(input)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(problems.String()))
	}
	return out.String(), nil
}
