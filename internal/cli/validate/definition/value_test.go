package definition

import "testing"

func TestARuleThatListsWordsNamesTheNearest(t *testing.T) {
	for _, c := range []struct{ rule, value, want string }{
		{"must be Never, OnFailure or Always", "allways", "must be Never, OnFailure or Always: did you mean Always?"},
		{"must be max or median", "mediam", "must be max or median: did you mean median?"},
		{"must be of throughput, errors and p50", "thruput", "must be of throughput, errors and p50: did you mean throughput?"},
		{"must be READ, SCAN or READ-MODIFY-WRITE", "READ_MODIFY_WRITE", "must be READ, SCAN or READ-MODIFY-WRITE: did you mean READ-MODIFY-WRITE?"},
		{"must be Never, OnFailure or Always", "something else", "must be Never, OnFailure or Always"},
		{"must be above 0", "above", "must be above 0"},
		{"must be a JSON pointer, such as /store", "pointer", "must be a JSON pointer, such as /store"},
		{"must be max or median", "", "must be max or median"},
	} {
		if got := withNearest(c.rule, c.value); got != c.want {
			t.Errorf("%q: got %q, want %q", c.value, got, c.want)
		}
	}
}

func TestTheTextAtAPath(t *testing.T) {
	object := map[string]any{"spec": map[string]any{"list": []any{"a", map[string]any{"b": "text", "n": int64(3)}}}}
	for path, want := range map[string]string{
		"spec.list[0]": "a", "spec.list[1].b": "text", "spec.list[1].n": "", "spec.list[2]": "", "spec.list[x]": "", "spec.list": "", "none.b": "", "": "",
		"spec.list[1].b.c": "",
	} {
		if got := textAt(object, path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
