package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// needDocker asks Docker's engine for its version, and says what to do if it doesn't answer.
func needDocker(ctx context.Context) error {
	_, err := output(ctx, "docker", "version", "--format", "{{.Server.Version}}")
	if err == nil || ctx.Err() != nil || errors.Is(err, errNotInstalled) {
		return err
	}
	return dockerProblem(err)
}

// dockerProblem tells an engine that isn't running from one that this user may not use.
func dockerProblem(err error) error {
	if strings.Contains(err.Error(), "permission denied while trying to connect") {
		return fmt.Errorf("you may not use Docker: run this as root, or become a member of the group docker (usermod -aG docker USER) and log in again: %w", err)
	}
	return fmt.Errorf("the Docker engine doesn't answer: start it (systemctl start docker), or name another one with DOCKER_HOST: %w", err)
}
