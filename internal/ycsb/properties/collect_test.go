package properties

import (
	"os"
	"path/filepath"
	"testing"
)

// file has the text, and is in a folder of its own.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLaterFilesAndPairsWin(t *testing.T) {
	second := file(t, "\nb=2\nc=2\nd=2")
	given, err := Collect([]string{file(t, "a=1\nb=1\nc=1\nd=1"), second}, []string{"c=3", "c = 4=5", "d=4"}, map[string]string{"d": "5"})
	if err != nil {
		t.Fatal(err)
	}
	if all := given.Values; all["a"] != "1" || all["b"] != "2" || all["c"] != "4=5" || all["d"] != "5" {
		t.Errorf("%v", all)
	}
	if places := given.Places; len(places) != 2 || places["b"] != second+":2" {
		t.Errorf("places %v", places)
	}
}
