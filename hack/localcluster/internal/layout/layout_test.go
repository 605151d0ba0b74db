package layout

import (
	"strings"
	"testing"
)

func TestCacheFollowsTheEnvironment(t *testing.T) {
	for name, c := range map[string]struct{ own, xdg, home, want string }{
		"own variable first": {"/own", "/xdg", "/home/me", "/own"},
		"then XDG's":         {"", "/xdg", "/home/me", "/xdg/kvbench"},
		"then home":          {"", "", "/home/me", "/home/me/.cache/kvbench"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KVBENCH_CACHE", c.own)
			t.Setenv("XDG_CACHE_HOME", c.xdg)
			t.Setenv("HOME", c.home)
			if got := DefaultPaths().Cache; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestNodesAreFoundByTheirExactName(t *testing.T) {
	p := Paths{State: "/s"}
	for name, want := range map[string]int{"node1": 1, "node3": 3, "node4": 0, "node0": 0, "node01": 0, "node": 0, "3": 0, "node-1": 0, "../node1": 0} {
		n, err := p.ParseNode(name, 3)
		if (err == nil) != (want > 0) || n.Index != want {
			t.Errorf("%s: %d, %v", name, n.Index, err)
		}
	}
}

func TestNodesSpreadOverThreeZones(t *testing.T) {
	var zones []string
	for _, n := range (Paths{}).Nodes(5) {
		zones = append(zones, n.Zone())
	}
	if got := strings.Join(zones, " "); got != "zone-a zone-b zone-c zone-a zone-b" {
		t.Error(got)
	}
}

func TestSocketsFitIntoTheirLimit(t *testing.T) {
	if socket := DefaultPaths().Node(MaxNodes).ContainerdSocket(); len(socket) >= 108 {
		t.Errorf("%s has %d characters", socket, len(socket))
	}
}
