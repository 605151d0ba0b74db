package bundle

import (
	"path"
	"strings"
	"testing"
)

// A name that is taken is a plain file's, and says of its writer what the writer's own
// name for it would.
func FuzzParseFile(f *testing.F) {
	const pod = "aaaaaaaa-0000-4000-8000-000000000001"
	for _, name := range []string{
		"worker-a-0-" + pod + ".hlog", "load-read-heavy-17-" + pod + ".jsonl", "observer-" + pod + ".jsonl",
		"worker-../../etc-0-" + pod + ".bins", "worker-a-0-" + pod + ".hlog.end", "observer-" + pod + ".hlog", "/worker-a-000-" + pod + ".bins", "",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		w, kind, ok := ParseFile(name)
		if !ok {
			return
		}
		if name != path.Base(name) || strings.ContainsAny(name, "/\\\x00\n") || strings.HasPrefix(name, ".") {
			t.Errorf("%q was taken for a file's name", name)
		}
		again, sameKind, ok := ParseFile(w.File(kind))
		if !ok || again != w || sameKind != kind {
			t.Errorf("%q is of %+v, whose name for it is %q", name, w, w.File(kind))
		}
	})
}
