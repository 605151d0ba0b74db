package read

import (
	"bytes"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Lines of each kind: what is read are the whole ones, in order, and no more than allowed.
func FuzzLines(f *testing.F) {
	for _, text := range []string{
		`{"name":"kill","workload":"a","action":"PodKill","requestedUnixNanos":1}` + "\n",
		`{"role":"worker","workload":"a","index":1,"podUID":"x","pod":"p"}` + "\n{}\n\n",
		`{"atUnixNanos":1,"members":[{"name":"e-0"}],"steady":true}` + "\n" + `{"atUnix`,
		`{"members":[{"name":"e-0","records":7,"process":9}],"usage":[{"member":"e-0","process":9}]}` + "\n" + `{"members":[{"process":1e99}]}` + "\n",
		`{"second":{"lengthMicros":-1}}` + "\n" + `{"finish":null}` + "\n", "null\n[]\n", "\n\n\n", "\x00",
	} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, torn bool) {
		const most = 5
		lines := bytes.Count(text, []byte("\n"))
		for kind, err := range map[string]error{
			"self":     count[bundle.SelfLine](t, text, most, torn),
			"topology": count[bundle.TopologyLine](t, text, most, torn),
			"fault":    count[bundle.FaultLine](t, text, most, torn),
			"usage":    count[bundle.UsageLine](t, text, most, torn),
			"claim":    count[bundle.Claim](t, text, most, torn),
		} {
			if err != nil {
				continue
			}
			if lines > most {
				t.Errorf("%s: %d lines were read", kind, lines)
			}
			if cut := len(text) > 0 && text[len(text)-1] != '\n'; cut && !torn {
				t.Errorf("%s: a line that was cut off was read", kind)
			}
		}
	})
}

func count[T any](t *testing.T, text []byte, most int, torn bool) error {
	seen := 0
	err := readLines(bytes.NewReader(text), most, torn, func(*T) error { seen++; return nil })
	if whole := bytes.Count(text, []byte("\n")); seen > whole || seen > most {
		t.Errorf("%d values of %d lines", seen, whole)
	}
	return err
}
