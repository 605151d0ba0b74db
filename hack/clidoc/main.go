// Command clidoc prints docs/guide/cli.md: what the help of kubectl kvbench says, for all commands on one page.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kvbench/kvbench/internal/cli"
)

const begin = `<!-- make generate writes this page from the commands' help. -->
# kubectl kvbench

%s

## Install it

` + "```sh" + `
make plugin                                # writes bin/kubectl-kvbench
sudo install bin/kubectl-kvbench /usr/local/bin/
kubectl kvbench version
` + "```" + `

kubectl finds each program on the PATH whose name begins with ` + "`kubectl-`" + `. ` + "`make plugin-release`" + ` writes archives for Linux and
macOS, on amd64 and arm64, and a manifest for [krew](https://krew.sigs.k8s.io).

## Rights

The command acts with the rights of your kubeconfig. An administrator lists your namespace, and you, under ` + "`users`" + ` in the
[values of kvbench's chart](install.md#what-is-installed). You then see the results of that namespace, and no others. Whoever may
create tokens of ` + "`kvbench-reader`" + ` in ` + "`kvbench-system`" + ` sees those of all namespaces (` + "`--all-namespaces`" + `).

## Completion

` + "```sh" + `
source <(kubectl completion bash)           # of kubectl, which asks the program that the next line makes
printf '#!/bin/sh\nexec kubectl-kvbench __complete "$@"\n' > /usr/local/bin/kubectl_complete-kvbench && chmod +x /usr/local/bin/kubectl_complete-kvbench
source <(kubectl-kvbench completion bash)   # for the program by itself; or zsh, fish, powershell
` + "```" + `

It completes the names of runs and suites, too. Bash needs the package ` + "`bash-completion`" + `, and zsh ` + "`autoload -U compinit && compinit`" + ` before.

## Flags of all commands

%s
`

func main() {
	root := cli.Command(os.Stdin, os.Stdout, os.Stderr)
	fmt.Printf(begin, root.Long, flags(root.PersistentFlags()))
	for _, command := range root.Commands() {
		describe(command)
	}
}

// describe prints a command, or those below it.
func describe(c *cobra.Command) {
	if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
		return
	}
	if c.HasSubCommands() {
		fmt.Printf("\n## %s\n\n%s\n", c.Name(), text(c))
		for _, below := range c.Commands() {
			describe(below)
		}
		return
	}
	level := "##"
	if c.Parent().HasParent() {
		level = "###"
	}
	fmt.Printf("\n%s %s\n\n%s\n", level, strings.TrimPrefix(c.CommandPath(), "kubectl kvbench "), text(c))
	fmt.Printf("\n```sh\n%s\n```\n", c.UseLine())
	if c.Example != "" {
		fmt.Printf("\nExamples:\n\n```sh\n%s\n```\n", outdent(c.Example))
	}
	if table := flags(c.LocalNonPersistentFlags()); table != "" {
		fmt.Printf("\n%s\n", table)
	}
}

func text(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.Short + "."
}

func outdent(example string) string {
	lines := strings.Split(example, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}

// flags is a table of those that help lists; "" if there are none.
func flags(set *pflag.FlagSet) string {
	var b strings.Builder
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		usage := f.Usage
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0s" && f.DefValue != "[]" && !strings.Contains(usage, "efault") {
			usage += " (default: " + f.DefValue + ")"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.ReplaceAll(usage, "|", "\\|"))
	})
	if b.Len() == 0 {
		return ""
	}
	return "| flag | what it does |\n|---|---|\n" + strings.TrimRight(b.String(), "\n")
}
