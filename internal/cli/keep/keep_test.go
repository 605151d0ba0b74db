package keep

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

func archiveOf(t *testing.T, headers ...tar.Header) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		content := ""
		if h.Typeflag == tar.TypeReg {
			content = "content of " + h.Name
		}
		h.Size, h.Mode = int64(len(content)), 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

func TestUntarWritesPlainFiles(t *testing.T) {
	folder := t.TempDir()
	archive := archiveOf(t, tar.Header{Name: "plan.json", Typeflag: tar.TypeReg}, tar.Header{Name: "faults.jsonl", Typeflag: tar.TypeReg})
	if err := untar(archive, folder); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(folder, "faults.jsonl"))
	if err != nil || string(content) != "content of faults.jsonl" {
		t.Errorf("got %q, %v", content, err)
	}
}

func TestUntarRefusesWhatCouldEscapeItsFolder(t *testing.T) {
	for name, header := range map[string]tar.Header{
		"a path upwards":   {Name: "../plan.json", Typeflag: tar.TypeReg},
		"an absolute path": {Name: "/etc/passwd", Typeflag: tar.TypeReg},
		"a folder":         {Name: "folder", Typeflag: tar.TypeDir},
		"a file below one": {Name: "folder/plan.json", Typeflag: tar.TypeReg},
		"a symbolic link":  {Name: "plan.json", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		"a hard link":      {Name: "plan.json", Typeflag: tar.TypeLink, Linkname: "other"},
		"the folder above": {Name: "..", Typeflag: tar.TypeReg},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			err := untar(archiveOf(t, header), folder)
			if err == nil || !strings.Contains(err.Error(), "plain file") {
				t.Errorf("got %v, want a refusal", err)
			}
			if left, _ := os.ReadDir(folder); len(left) != 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

func TestUntarRefusesTheSameNameTwice(t *testing.T) {
	twice := tar.Header{Name: "plan.json", Typeflag: tar.TypeReg}
	if err := untar(archiveOf(t, twice, twice), t.TempDir()); err == nil {
		t.Error("a second file of the same name replaced the first")
	}
}

// kept is a results server with one run.
type kept struct{ bundle []byte }

func (k kept) Get(_ context.Context, path string) ([]byte, error) {
	return []byte(`{"is": "` + path + `"}`), nil
}

func (k kept) GetTo(_ context.Context, _ string, to io.Writer) error {
	if _, err := to.Write(k.bundle); err != nil {
		return err
	}
	if len(k.bundle)%512 != 0 {
		return errors.New("connection reset")
	}
	return nil
}

// withoutCharts is a server that has no charts of the run.
type withoutCharts struct{ kept }

func (w withoutCharts) Get(ctx context.Context, path string) ([]byte, error) {
	if strings.HasSuffix(path, forward.Charts) {
		return nil, &forward.Refusal{Path: path, Reason: wire.ReasonNotFound}
	}
	return w.kept.Get(ctx, path)
}

func fill(t *testing.T, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func namesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(folder, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestAnEarlierRunsFilesAreReplacedAndNoOthers(t *testing.T) {
	folder := t.TempDir()
	fill(t, folder, "notes.txt", "report.json", "bundle/plan.json", "bundle/stale")
	bundle := archiveOf(t, tar.Header{Name: "plan.json", Typeflag: tar.TypeReg}, tar.Header{Name: "new", Typeflag: tar.TypeReg})
	if err := Fetch(t.Context(), kept{bundle.Bytes()}, "7f", folder); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(namesIn(t, folder), " "); got != "bundle/new bundle/plan.json charts.json notes.txt report.html report.json report.md" {
		t.Error(got)
	}
	if content, _ := os.ReadFile(filepath.Join(folder, "report.json")); string(content) != `{"is": "/v1/runs/7f/report.json"}` {
		t.Errorf("%s", content)
	}
	// A run without charts has none of an earlier run's.
	if err := Fetch(t.Context(), withoutCharts{kept{bundle.Bytes()}}, "7f", folder); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(namesIn(t, folder), " "); got != "bundle/new bundle/plan.json notes.txt report.html report.json report.md" {
		t.Error(got)
	}
}

func TestADownloadThatEndsEarlyChangesNothing(t *testing.T) {
	folder := t.TempDir()
	fill(t, folder, "report.json", "bundle/plan.json", "bundle/old")
	bundle := archiveOf(t, tar.Header{Name: "plan.json", Typeflag: tar.TypeReg})
	for what, cut := range map[string]int{"in a header": 100, "in the end": bundle.Len() - 100} {
		if err := Fetch(t.Context(), kept{bundle.Bytes()[:cut]}, "7f", folder); err == nil {
			t.Errorf("%s: no error", what)
		}
		if got := strings.Join(namesIn(t, folder), " "); got != "bundle/old bundle/plan.json report.json" {
			t.Errorf("%s: it left %s", what, got)
		}
	}
}

func TestAFolderThatIsNoBundleStays(t *testing.T) {
	folder := t.TempDir()
	fill(t, folder, "bundle/my-own")
	if err := Fetch(t.Context(), kept{}, "7f", folder); err == nil || !strings.Contains(err.Error(), "name another folder") {
		t.Error(err)
	}
	if got := strings.Join(namesIn(t, folder), " "); got != "bundle/my-own" {
		t.Error(got)
	}
}
