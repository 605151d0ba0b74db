package keep

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func TestWriteReplacesOnlyItsOwnFiles(t *testing.T) {
	out := t.TempDir()
	other := filepath.Join(out, "notes.txt")
	stale := filepath.Join(out, "bundle", "stale")
	if err := os.MkdirAll(filepath.Dir(stale), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{other, stale} {
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bundle := archiveOf(t, tar.Header{Name: "plan.json", Typeflag: tar.TypeReg})
	if err := write(out, []byte("{}"), []byte("# x"), bundle.Bytes()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error("it removed a file of the user's")
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("it left a file of an earlier bundle")
	}
}
