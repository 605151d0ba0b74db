package scratch

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestOnlyOldLeftoversAreSwept(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "cache")
	fresh, _, err := Dir(parent)
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(parent, prefix+"old")
	built := filepath.Join(parent, "etcd-v3")
	for _, dir := range []string{old, built} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-2 * keep)
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
	}
	mine, remove, err := Dir(parent)
	if err != nil {
		t.Fatal(err)
	}
	remove()
	for dir, want := range map[string]bool{fresh: true, old: false, built: true, mine: false} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: there is %v", filepath.Base(dir), err == nil)
		}
	}
}
