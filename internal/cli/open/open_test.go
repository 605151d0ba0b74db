package open

import "testing"

func TestTheOpenerNeedsAScreen(t *testing.T) {
	for _, c := range []struct {
		system string
		env    map[string]string
		want   string
	}{
		{"darwin", nil, "open"},
		{"linux", map[string]string{"DISPLAY": ":0"}, "xdg-open"},
		{"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, "xdg-open"},
		{"linux", nil, ""},
	} {
		got, has := opener(c.system, func(name string) string { return c.env[name] })
		if got != c.want || has != (c.want != "") {
			t.Errorf("%s %v: %q, %v", c.system, c.env, got, has)
		}
	}
}
