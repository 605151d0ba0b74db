package validate

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/exit"
)

// folder has these files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestAFolderStandsForItsFiles(t *testing.T) {
	root := folder(t, map[string]string{
		"b.yaml": runOf(good), "a.yml": runOf(good), "c.JSON": `{"apiVersion": "v1", "kind": "Pod"}`, "notes.md": "# notes",
		"kustomization.yaml": "resources: [a.yml]", "below/d.yaml": runOf(refused), "below/deeper/e.yaml": runOf(good),
	})
	for name, given := range map[string]struct {
		args []string
		want string
		code int
	}{
		"alone":           {[]string{"-f", root}, "a.yml b.yaml", 0},
		"with one of its": {[]string{"-f", root + "/b.yaml", "-f", root}, "b.yaml a.yml", 0},
		"with all below":  {[]string{"-R", "-f", root}, "a.yml b.yaml below/deeper/e.yaml", exit.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			out, complaints, err := called(t, "", given.args...)
			var well []string
			for line := range strings.Lines(out) {
				if file, is := strings.CutSuffix(line, ": BenchmarkRun a: ok\n"); is {
					well = append(well, strings.TrimPrefix(file, root+"/"))
				}
			}
			if strings.Join(well, " ") != given.want || exit.Code(err) != given.code || !strings.Contains(complaints, "c.JSON: Pod: skipped") {
				t.Errorf("%v\n%s%s", err, out, complaints)
			}
		})
	}
}

func TestWhatIsWrongWithOneFileOfAFolderHidesNothing(t *testing.T) {
	root := folder(t, map[string]string{"a.yaml": "a: [", "b.yaml": runOf(refused), "c.yaml": runOf(good)})
	if err := os.Symlink("nowhere", filepath.Join(root, "d.yaml")); err != nil {
		t.Fatal(err)
	}
	out, _, err := called(t, "", "-f", root)
	if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "a.yaml: it is no YAML") || !strings.Contains(err.Error(), "d.yaml: no such file") {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(out, "c.yaml: BenchmarkRun a: ok") || !strings.Contains(out, "spec.workloads[0].preset") {
		t.Errorf("got %s", out)
	}
}

func TestANameOfAFileIsNotObeyed(t *testing.T) {
	root := folder(t, map[string]string{"\x1b[2J.yaml": "a: ["})
	if err := os.Symlink("nowhere", filepath.Join(root, "\x1b[3J.yaml")); err != nil {
		t.Fatal(err)
	}
	_, _, err := called(t, "", "-f", root)
	if err == nil || strings.Contains(err.Error(), "\x1b") || !strings.Contains(err.Error(), "[2J") || !strings.Contains(err.Error(), "[3J") {
		t.Errorf("got %q", err)
	}
}

func TestSomeFilesAreTooManyTogether(t *testing.T) {
	path := filepath.Join(folder(t, map[string]string{"a.yaml": "#" + strings.Repeat(" ", 1000)}), "a.yaml")
	r := &reader{left: 1500}
	if _, err := r.file(path); err != nil {
		t.Fatal(err)
	}
	if _, err := r.file(path); err == nil || !strings.Contains(err.Error(), "check fewer at a time") {
		t.Errorf("got %v", err)
	}
}

func TestAnInterruptEndsTheWaitForInput(t *testing.T) {
	silent, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := read(ctx, silent, []string{"-"}, false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
