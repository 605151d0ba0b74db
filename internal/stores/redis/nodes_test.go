package redis

import (
	"reflect"
	"strings"
	"testing"
)

func TestNodesAreRead(t *testing.T) {
	nodes, err := readNodes(strings.Join([]string{
		"a1 10.0.0.1:6379@16379,run-0.x myself,master - 0 1795372668000 2 connected 0-5460 6000 [93-<-b2]",
		"b2 10.0.0.2:6379@16379,,shard-id=5 slave,fail? a1 0 1795372669010 1 disconnected",
		"c3 10.0.0.3:6379@16379,run-2.x,shard-id=5 master,fail - 0 0 18446744073709551615 connected 16383",
		"d4 :0@0 master,noaddr - 1 1 0 disconnected",
		"e5 10.0.0.5:7@17 handshake - 0 0 0 disconnected",
		"f6 ::1:7@17 master - 0 0 0 connected",
		"",
	}, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []node{
		{id: "a1", addresses: []string{"10.0.0.1:6379", "run-0.x:6379"}, self: true, primary: true, linked: true, epoch: 2, slots: []span{{0, 5460}, {6000, 6000}}},
		{id: "b2", addresses: []string{"10.0.0.2:6379"}, failed: true, follows: "a1", epoch: 1},
		{id: "c3", addresses: []string{"10.0.0.3:6379", "run-2.x:6379"}, primary: true, failed: true, linked: true, epoch: 1<<64 - 1, slots: []span{{16383, 16383}}},
		{id: "d4", primary: true, failed: true},
		{id: "e5", addresses: []string{"10.0.0.5:7"}, handshake: true},
		{id: "f6", addresses: []string{"[::1]:7"}, primary: true, linked: true},
	}
	for i := range want {
		if i >= len(nodes) || !reflect.DeepEqual(nodes[i], want[i]) {
			t.Errorf("line %d: %+v, want %+v", i, nodes[i:min(i+1, len(nodes))], want[i])
		}
	}
}

func TestWhatAreNoNodesIsRefused(t *testing.T) {
	const self = "a :1@2 myself,master - 0 0 0 connected"
	for text, want := range map[string]string{
		"":                                "nothing of itself",
		"a :1@2 master - 0 0 0 connected": "nothing of itself",
		self + "\n" + self:                "nothing of itself",
		"a :1@2 myself":                   "ends early",
		"a :1@2 myself - 0 0 x connected": "invalid syntax",
		self + " 16384":                   "no slots",
		self + " -1":                      "invalid syntax",
		self + " 2-1":                     "no slots",
		self + " 0-16383 5":               "more slots",
		self + " x":                       "invalid syntax",
		self + strings.Repeat("\nb :1@2 master - 0 0 0 connected", maxNodes): "more than",
	} {
		if nodes, err := readNodes(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, %v, want %q", text, nodes, err, want)
		}
	}
}

// FuzzNodes reads what a store of the run's choice may say: it is refused, or has one self, and
// slots that there are.
func FuzzNodes(f *testing.F) {
	f.Add("a1 10.0.0.1:6379@16379,run-0.x myself,master - 0 1795372668000 2 connected 0-5460 6000 [93-<-b2]\nb2 :0@0,,x=y slave a1 0 0 1 disconnected\n")
	f.Fuzz(func(t *testing.T, text string) {
		nodes, err := readNodes(text)
		if err != nil {
			return
		}
		selves := 0
		for _, n := range nodes {
			if n.self {
				selves++
			}
			for _, span := range n.slots {
				if span.first < 0 || span.last < span.first || span.last >= slotCount {
					t.Errorf("slots %v", span)
				}
			}
		}
		if selves != 1 || len(nodes) > maxNodes || !selfOf(nodes).self {
			t.Errorf("%d of %d say that they are it", selves, len(nodes))
		}
		layoutOf([]string{"a:1"}, []string{selfOf(nodes).id}, [][]node{nodes})
	})
}
