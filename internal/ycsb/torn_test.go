package ycsb

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestATornLineIsLeftOut(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, c := range [][2]string{
		{"", ""}, {"a", ""}, {"a\n", "a\n"}, {"a\nb", "a\n"}, {"a\nb\n", "a\nb\n"},
		{long, ""}, {"a\n" + long, "a\n"}, {long + "\n" + long, long + "\n"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "log"), []byte(c[0]), 0o644); err != nil {
			t.Fatal(err)
		}
		file, err := wholeLines{os.DirFS(dir)}.Open("log")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(file); err != nil || string(got) != c[1] {
			t.Errorf("of %.10q… there are %d bytes, want %d, %v", c[0], len(got), len(c[1]), err)
		}
		file.Close()
	}
}
