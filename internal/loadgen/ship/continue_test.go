package ship

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAContinuedFileGoesOnWhereItsWholeLinesEnd(t *testing.T) {
	for name, c := range map[string]struct{ before, want string }{
		"no file":         {"", "third\n"},
		"whole lines":     {"first\nsecond\n", "first\nsecond\nthird\n"},
		"a line cut off":  {"first\nsec", "first\nthird\n"},
		"nothing but one": {"fir", "third\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, s := t.TempDir(), newServer()
			if c.before != "" {
				if err := os.WriteFile(filepath.Join(dir, "file"), []byte(c.before), 0o644); err != nil {
					t.Fatal(err)
				}
				// What was shipped before the restart.
				s.files["file"] = []byte(c.before[:2])
			}
			f, err := Continue(dir, "file")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if c.before == "fir" {
				s.files["file"] = nil
			}
			if _, err := f.Write([]byte("third\n")); err != nil {
				t.Fatal(err)
			}
			if err := New(s, "uid", t.Logf, f).Finish(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := string(s.files["file"]); got != c.want {
				t.Fatalf("the server has %q, want %q", got, c.want)
			}
		})
	}
}
