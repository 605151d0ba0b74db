package faults

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAPartitionHasADirection(t *testing.T) {
	for text, c := range map[string]struct{ want, says string }{
		"":                       {DirectionBoth, ""},
		"{}":                     {DirectionBoth, ""},
		`{"direction":"To"}`:     {DirectionTo, ""},
		`{"direction":"From"}`:   {DirectionFrom, ""},
		`{"direction":"around"}`: {"", `"around": write Both, To or From`},
		`{"direction":1}`:        {"", "reading the parameters"},
	} {
		var given json.RawMessage
		if text != "" {
			given = json.RawMessage(text)
		}
		got, err := PartitionParametersOf(given)
		switch checked := partition.CheckParameters(given); {
		case (err == nil) != (c.says == ""), (err == nil) != (checked == nil):
			t.Errorf("%s: %v, checked %v", text, err, checked)
		case err != nil && !strings.Contains(err.Error(), c.says):
			t.Errorf("%s: %v, want %q", text, err, c.says)
		case err == nil && got.Direction != c.want:
			t.Errorf("%s: %q, want %q", text, got.Direction, c.want)
		}
	}
}
