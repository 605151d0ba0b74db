package compile

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

func TestRunIDNamesEveryChild(t *testing.T) {
	const uid = "7f3c0e1a-0000-4000-8000-000000000001"
	for name, stem := range map[string]string{
		"etcd-3-leader-kill":             "etcd-3-leader-kill-",
		"with.dots.in.it":                "with-dots-in-it-",
		"3-nodes":                        "r3-nodes-",
		strings.Repeat("a", 63):          strings.Repeat("a", 22) + "-",
		"cut-at-a-hyphen-here--and-more": "cut-at-a-hyphen-here-",
	} {
		id := RunID(name, uid)
		if !strings.HasPrefix(id, stem) || len(id) != len(stem)+hashDigits {
			t.Errorf("RunID(%q) = %q, want %q and %d digits", name, id, stem, hashDigits)
		}
	}
	if RunID("a", "1") == RunID("a", "2") {
		t.Error("a run that was created again has its predecessor's ID")
	}
}

func FuzzRunIDIsAServiceName(f *testing.F) {
	for _, name := range []string{"etcd", "a.b", "0", "-", "", "ä", strings.Repeat("x-", 40)} {
		f.Add(name, "7f3c0e1a-0000-4000-8000-000000000001")
	}
	f.Fuzz(func(t *testing.T, name, uid string) {
		id := RunID(name, uid)
		if wrong := validation.IsDNS1035Label(id); wrong != nil {
			t.Errorf("RunID(%q, %q) = %q: %v", name, uid, id, wrong)
		}
		if len(id) > MaxRunID {
			t.Errorf("RunID(%q, %q) = %q is longer than %d", name, uid, id, MaxRunID)
		}
	})
}
