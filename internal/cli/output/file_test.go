package output

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestAFileIsWrittenWholeOrNotAtAll(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.txt")
	write := func(text string, end error) error {
		return File(path, func(to io.Writer) error {
			_, err := io.WriteString(to, text)
			return errors.Join(err, end)
		})
	}
	if err := write("first", nil); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := write("ha", broken); !errors.Is(err, broken) {
		t.Errorf("error: %v", err)
	}
	content, err := os.ReadFile(path)
	if err != nil || string(content) != "first" {
		t.Errorf("%q, %v", content, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
