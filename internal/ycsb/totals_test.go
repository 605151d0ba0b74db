package ycsb

import (
	"testing"
	"testing/fstest"
)

func TestErrorsOfTheWarmUpAreNotCounted(t *testing.T) {
	lines := `{"atUnixNanos":1100,"clock":{"offsetNanos":0,"boundNanos":0}}
{"atUnixNanos":101002000000,"second":{"lengthMicros":1002000}}
{"atUnixNanos":101003000000,"errors":[{"operation":"READ","outcome":"failed","code":"E","count":1}]}
{"atUnixNanos":102001000000,"second":{"lengthMicros":999000}}
{"atUnixNanos":102003000000,"errors":[{"operation":"READ","outcome":"failed","code":"E","count":20}]}
{"atUnixNanos":103001000000,"second":{"lengthMicros":1000000}}
{"atUnixNanos":103002000000,"errors":[{"operation":"READ","outcome":"failed","code":"E","count":300}]}
{"atUnixNanos":103100000000,"finish":{"operations":400}}
`
	m := &measured{}
	if err := m.readLines(fstest.MapFS{"lines": {Data: []byte(lines)}}, "lines", 102); err != nil {
		t.Fatal(err)
	}
	if len(m.errors) != 1 || m.errors[0].Count != 321 || len(m.counted) != 1 || m.counted[0].Count != 300 {
		t.Errorf("%+v in all, and %+v after the warm-up", m.errors, m.counted)
	}
}
