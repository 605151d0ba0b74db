package hlog

import "testing"

func TestTagsOfParts(t *testing.T) {
	for tag, want := range map[string]Row{
		"Part-READ":                   {Operation: "READ", Outcome: "ok", Part: true},
		"Intended-Part-UPDATE-FAILED": {Operation: "UPDATE", Outcome: "failed", Time: ResponseTime, Part: true},
		"Wait-READ":                   {Operation: "READ", Outcome: "ok", Time: WaitTime},
	} {
		if got, err := parseTag(tag); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", tag, got, err, want)
		}
	}
	for _, tag := range []string{"Part-", "Part-Part-READ", "Wait-Part-READ", "Part-Intended-READ", "Part-LAG"} {
		if got, err := parseTag(tag); err == nil {
			t.Errorf("%s: %+v", tag, got)
		}
	}
}
