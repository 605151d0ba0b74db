package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

// kindWith is a target whose kind notes its calls, and does what the script says.
func kindWith(t *testing.T, script string) (target *kindTarget, calls func() string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "calls")
	withPrograms(t, map[string]string{"docker": "echo \"docker $*\" >>" + log, "kind": "echo \"$*\" >>" + log + "\n" + script})
	return &kindTarget{screen: screen.Quiet(io.Discard), name: "kvbench"}, func() string {
		content, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
}

func TestAKindClusterThatIsNotWholeIsToBeRemoved(t *testing.T) {
	target, calls := kindWith(t, `case "$1 $2" in
		"get clusters") echo other; echo kvbench ;;
		"get nodes") echo kvbench-control-plane ;;
		"get kubeconfig") echo 'container is not running' >&2; exit 1 ;;
	esac`)
	_, err := target.Up(context.Background())
	if err == nil || !strings.Contains(err.Error(), "make down CLUSTER=kind") || !strings.Contains(err.Error(), "container is not running") {
		t.Errorf("got %v", err)
	}
	if strings.Contains(calls(), "create") || strings.Contains(calls(), "delete") {
		t.Errorf("a cluster that was there was touched:\n%s", calls())
	}
}

func TestAKindClusterIsMadeAsItsConfigurationSays(t *testing.T) {
	for _, own := range []string{"", "nodes: [{role: control-plane}]\n"} {
		target, calls := kindWith(t, `case "$1 $2" in
			"create cluster") while read -r line; do echo "$line"; done <"$6" >"${0%/*}/config"; exit 1 ;;
		esac`)
		want := kindConfig
		if own != "" {
			target.config = filepath.Join(t.TempDir(), "kind.yaml")
			if err := os.WriteFile(target.config, []byte(own), 0o600); err != nil {
				t.Fatal(err)
			}
			want = own
		}
		if _, err := target.Up(context.Background()); err == nil || !strings.Contains(err.Error(), "KIND_CONFIG") {
			t.Errorf("got %v", err)
		}
		if got, err := os.ReadFile(filepath.Join(os.Getenv("PATH"), "config")); err != nil || string(got) != want {
			t.Errorf("kind was given %q, %v; want %q", got, err, want)
		}
		if !strings.Contains(calls(), "--kubeconfig ") {
			t.Errorf("kind would write to the user's own kubeconfig:\n%s", calls())
		}
		if strings.Contains(calls(), "delete") {
			t.Errorf("a cluster that kind didn't make was deleted:\n%s", calls())
		}
	}
}

func TestAConfigurationOfKindThatIsNotThereIsNamed(t *testing.T) {
	target, calls := kindWith(t, "")
	target.config = filepath.Join(t.TempDir(), "none.yaml")
	_, err := target.Up(context.Background())
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "KIND_CONFIG") {
		t.Errorf("got %v", err)
	}
	if strings.Contains(calls(), "create") {
		t.Errorf("kind was called:\n%s", calls())
	}
}

func TestWhatAnInterruptedCreationLeftIsRemoved(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	begun := filepath.Join(t.TempDir(), "begun")
	if err := unix.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	target, calls := kindWith(t, `case "$1 $2" in
		"create cluster") trap 'exit 1' INT; echo >`+begun+`; while :; do :; done ;;
	esac`)
	go func() {
		if _, err := os.ReadFile(begun); err == nil {
			cancel()
		}
	}()
	if _, err := target.Up(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(calls(), "\ndelete cluster --name kvbench\n") {
		t.Errorf("the calls were:\n%s", calls())
	}
}

func TestDownTakesTheImagesOfTheDemoAlone(t *testing.T) {
	target, calls := kindWith(t, "")
	if err := target.Down(context.Background()); err != nil {
		t.Fatal(err)
	}
	dockerfile, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, label, _ := strings.Cut(string(dockerfile), "\nLABEL ")
	label, _, _ = strings.Cut(label, "\n")
	want := "delete cluster --name kvbench\ndocker image prune --all --force --filter label=" + label + "\n"
	if label == "" || calls() != want {
		t.Errorf("got %q, want %q", calls(), want)
	}
}
