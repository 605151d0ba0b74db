package tarfs

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func archiveOf(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	for i := range headers {
		header := &headers[i]
		header.Mode = 0o644
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(bytes.Repeat([]byte{'x'}, int(header.Size))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

func TestAnArchiveIsAFolderOfItsFiles(t *testing.T) {
	long := strings.Repeat("a", 150) // needs a header of its own
	files, err := Open(bytes.NewReader(archiveOf(t,
		tar.Header{Typeflag: tar.TypeDir, Name: "./"}, tar.Header{Typeflag: tar.TypeReg, Name: "./plan.json", Size: 700},
		tar.Header{Typeflag: tar.TypeReg, Name: "empty"}, tar.Header{Typeflag: tar.TypeReg, Name: long, Size: 3})))
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(files, "plan.json", "empty", long); err != nil {
		t.Error(err)
	}
}

func TestAHostileArchiveIsRefused(t *testing.T) {
	plain := archiveOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "plan.json", Size: 2000})
	for says, content := range map[string][]byte{
		`"../plan.json" is no plain file`: archiveOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "../plan.json"}),
		`"a/plan.json" is no plain file`:  archiveOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "a/plan.json"}),
		`"link" is no plain file`:         archiveOf(t, tar.Header{Typeflag: tar.TypeSymlink, Name: "link", Linkname: "/etc"}),
		`"twice" twice`:                   archiveOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "twice"}, tar.Header{Typeflag: tar.TypeReg, Name: "twice"}),
		"ends within":                     plain[:1000],
		"no tar archive":                  []byte(strings.Repeat("text ", 200)),
		"an empty one":                    nil,
	} {
		if _, err := Open(bytes.NewReader(content)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// Whatever is in an archive, its files can be listed and read to their ends, and none is longer than the archive.
func FuzzOpen(f *testing.F) {
	header := func(h tar.Header) []byte {
		var content bytes.Buffer
		w := tar.NewWriter(&content)
		if err := w.WriteHeader(&h); err != nil {
			f.Fatal(err)
		}
		content.Write(make([]byte, 1024))
		return content.Bytes()
	}
	f.Add(header(tar.Header{Typeflag: tar.TypeReg, Name: "plan.json", Size: 700}))
	f.Add(header(tar.Header{Typeflag: tar.TypeReg, Name: strings.Repeat("a", 150), Size: 3}))
	f.Add(header(tar.Header{Typeflag: tar.TypeSymlink, Name: "link", Linkname: "/etc"}))
	f.Add([]byte("text"))
	f.Fuzz(func(t *testing.T, content []byte) {
		files, err := Open(bytes.NewReader(content))
		if err != nil {
			return
		}
		for _, of := range files.list() {
			name := of.Name()
			read, err := fs.ReadFile(files, name)
			if err != nil || len(read) > len(content) || strings.ContainsAny(name, "/\x00") {
				t.Errorf("%q: %d bytes, %v", name, len(read), err)
			}
		}
	})
}
