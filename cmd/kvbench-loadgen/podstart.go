package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/etcd"
)

// newInstallCommand brings the program into the pods of images that have no shell.
func newInstallCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "install FOLDER",
		Short: "Copy this program into a folder, for another container of the pod",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			return install(c.Context(), self, filepath.Join(args[0], "kvbench-loadgen"))
		},
	}
}

// install copies a program. Killed in between, it leaves nothing under the name.
func install(ctx context.Context, from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copying the program: %w", err)
	}
	defer source.Close()
	part := to + ".part"
	target, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return fmt.Errorf("copying the program: %w", err)
	}
	if _, err := io.Copy(target, &endingReader{ctx: ctx, from: source}); err != nil {
		_ = target.Close()
		return fmt.Errorf("copying the program: %w", err)
	}
	if err := target.Close(); err != nil {
		return fmt.Errorf("copying the program: %w", err)
	}
	return os.Rename(part, to)
}

// newStartEtcdCommand runs in the members of etcd, where their data may get lost.
func newStartEtcdCommand() *cobra.Command {
	var folder string
	command := &cobra.Command{
		Use:   "start-etcd -- ETCD FLAGS...",
		Short: "Start etcd, and before that take it in anew if it lost its data",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			level := stores.SecurityNone
			if folder != "" {
				level = stores.SecurityAuth
			}
			held, err := stores.ReadCredentials(folder, level)
			if err != nil {
				return err
			}
			return etcd.Start(c.Context(), args, held, say)
		},
	}
	command.Flags().StringVar(&folder, "credentials", "", "folder with the name and the password of etcd's root user, if members ask for one")
	return command
}
