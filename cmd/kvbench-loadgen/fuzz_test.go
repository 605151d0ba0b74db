package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
)

// rawHeader is a tar's header, which the package's own writer would refuse to write.
func rawHeader(name string, kind byte, size int) []byte {
	header := make([]byte, 512)
	copy(header, name)
	copy(header[100:], "0000644\x00")
	copy(header[124:], fmt.Sprintf("%011o\x00", size))
	copy(header[136:], "00000000000\x00")
	header[156] = kind
	copy(header[257:], "ustar\x0000")
	copy(header[148:], "        ")
	sum := 0
	for _, b := range header {
		sum += int(b)
	}
	copy(header[148:], fmt.Sprintf("%06o\x00 ", sum))
	return header
}

// sparseArchive says that its only file has so many bytes, and holds none of them.
func sparseArchive(size int) []byte {
	var records []byte
	for _, record := range []string{"GNU.sparse.name=a", fmt.Sprintf("GNU.sparse.size=%d", size), "GNU.sparse.numblocks=1", "GNU.sparse.map=0,0"} {
		// Two digits, a space, and a newline: all of these records need that much.
		records = fmt.Appendf(records, "%d %s\n", len(record)+4, record)
	}
	archive := append(rawHeader("PaxHeaders/a", tar.TypeXHeader, len(records)), records...)
	archive = append(archive, make([]byte, 512-len(records)%512)...)
	archive = append(archive, rawHeader("a", tar.TypeReg, 0)...)
	return append(archive, make([]byte, 1024)...)
}

func archiveOf(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	for _, header := range headers {
		if header.Typeflag == tar.TypeReg {
			header.Size = 3
		}
		if err := writer.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			if _, err := writer.Write([]byte("abc")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

func TestASparseArchiveDoesNotFillTheDisk(t *testing.T) {
	const claimed = 64 << 20
	reader := tar.NewReader(bytes.NewReader(sparseArchive(claimed)))
	if header, err := reader.Next(); err != nil || header.Size != claimed || header.Typeflag != tar.TypeReg {
		t.Fatalf("the archive isn't what the test is about: %+v, %v", header, err)
	}
	archive, into := filepath.Join(t.TempDir(), "b.tar"), t.TempDir()
	if err := os.WriteFile(archive, sparseArchive(claimed), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unpack(t.Context(), archive, into); err == nil {
		t.Error("a file larger than its archive was unpacked")
	}
}

// What is unpacked are plain files in the folder, no larger together than the archive.
func FuzzUnpack(f *testing.F) {
	f.Add(archiveOf(f, tar.Header{Name: "plan.json", Typeflag: tar.TypeReg}, tar.Header{Name: "./x", Typeflag: tar.TypeReg}))
	f.Add(archiveOf(f, tar.Header{Name: "../../x", Typeflag: tar.TypeReg}))
	f.Add(archiveOf(f, tar.Header{Name: "/etc/x", Typeflag: tar.TypeReg}))
	f.Add(archiveOf(f, tar.Header{Name: "a", Linkname: "/etc", Typeflag: tar.TypeSymlink}, tar.Header{Name: "a/b", Typeflag: tar.TypeReg}))
	f.Add(archiveOf(f, tar.Header{Name: "a", Linkname: "../b", Typeflag: tar.TypeLink}))
	f.Add(archiveOf(f, tar.Header{Name: "d", Typeflag: tar.TypeDir}, tar.Header{Name: "n", Typeflag: tar.TypeChar}))
	f.Add(sparseArchive(1 << 20))
	f.Fuzz(func(t *testing.T, content []byte) {
		outer := t.TempDir()
		archive, into := filepath.Join(outer, "b.tar"), filepath.Join(outer, "in", "to")
		if err := os.MkdirAll(into, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(archive, content, 0o600); err != nil {
			t.Fatal(err)
		}
		failed := unpack(t.Context(), archive, into)
		var total int64
		err := filepath.WalkDir(outer, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path == archive {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			total += info.Size()
			if !info.Mode().IsRegular() || filepath.Dir(path) != into {
				t.Errorf("%s (%s) was unpacked, %v", path, info.Mode(), failed)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if total > int64(len(content)) {
			t.Errorf("%d bytes came out of %d", total, len(content))
		}
	})
}

// The plan lies in the run's namespace; a worker that can't use it says why.
func FuzzReadPlan(f *testing.F) {
	f.Add([]byte(`{"format":1,"store":{"driver":"etcd"},"workloads":[{"name":"a","load":{"workers":1,"threads":1}}]}`), 0)
	f.Add([]byte(`{"format":1,"store":{"driver":"../etcd"},"workloads":[{"name":"a","load":{"workers":-1}}]}`), -1)
	f.Add([]byte(`{"format":1,"workloads":[null,{"name":"a","load":{"workers":1e18}}]}`), 1<<40)
	f.Add([]byte(`[`), 0)
	f.Fuzz(func(t *testing.T, text []byte, index int) {
		path := filepath.Join(t.TempDir(), plan.FileName)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		flags := workloadFlags{runFlags: runFlags{plan: path}, workload: "a", index: index}
		job, err := flags.job()
		if err == nil && (job.Index < 0 || job.Index >= job.Workload.Load.Workers || job.Workload.Name != "a" || job.Store == nil) {
			t.Errorf("worker %d of %+v", job.Index, job.Workload)
		}
	})
}
