package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

// repository of the image that is built here. It is never pushed.
const repository = "ghcr.io/kvbench/kvbench"

// image is a repository and a tag, as the chart wants them.
type image struct{ Repository, Tag string }

func (i image) String() string { return i.Repository + ":" + i.Tag }

// parseImage takes REPOSITORY:TAG apart.
func parseImage(reference string) (image, error) {
	at := strings.LastIndex(reference, ":")
	if at <= 0 || strings.Contains(reference[at:], "/") || strings.Contains(reference, "@") {
		return image{}, fmt.Errorf("the image %q must be given as REPOSITORY:TAG", reference)
	}
	return image{Repository: reference[:at], Tag: reference[at+1:]}, nil
}

// programs are what the image holds, by the names of their folders in ./cmd.
var programs = []string{"kvbench", "kvbench-loadgen"}

// buildPrograms builds them statically into ./bin, in the same way as make build.
func buildPrograms(ctx context.Context, s *screen.Screen) error {
	version, err := exec.CommandContext(ctx, "hack/version.sh").Output()
	if err != nil {
		return fmt.Errorf("finding which version is built: %w", err)
	}
	args := []string{"-ldflags=-s -w -X github.com/kvbench/kvbench/internal/version.version=" + strings.TrimSpace(string(version)), "-o", "bin/"}
	for _, p := range programs {
		args = append(args, "./cmd/"+p)
	}
	return compile(ctx, s, "Building "+strings.Join(programs, " and "), ".", args...)
}

// contentTag is a tag that changes exactly when the programs do, so that an unchanged
// image is neither loaded nor rolled out again.
func contentTag(dir string) (string, error) {
	sum := sha256.New()
	for _, p := range programs {
		f, err := os.Open(filepath.Join(dir, p))
		if err != nil {
			return "", err
		}
		_, err = io.Copy(sum, f)
		f.Close()
		if err != nil {
			return "", fmt.Errorf("reading %s: %w", f.Name(), err)
		}
	}
	return "dev-" + hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// builtImage builds the programs and names the image for them.
func builtImage(ctx context.Context, s *screen.Screen) (image, error) {
	if err := buildPrograms(ctx, s); err != nil {
		return image{}, err
	}
	tag, err := contentTag("bin")
	return image{Repository: repository, Tag: tag}, err
}
