package suite

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
)

// A reason that no run can have would be a slip, and the run that it was meant for would never be made again.
func TestTheReasonsOfFailedRunsAreThoseOfTheController(t *testing.T) {
	missing := failedByAccident.Clone()
	sources := os.DirFS("../../controllers/run")
	err := fs.WalkDir(sources, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(sources, path)
		for reason := range missing {
			if strings.Contains(string(text), `"`+reason+`"`) {
				missing.Delete(reason)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if missing.Len() > 0 {
		t.Errorf("no run fails for %q", sets.List(missing))
	}
}
