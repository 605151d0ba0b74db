package redis

import (
	"errors"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestWhoIsHealthyInACluster(t *testing.T) {
	well := standing{up: true, served: slotCount}
	three := []node{primary("a", 1, span{0, slotCount - 1}), replica("b", "a"), primary("c", 0)}
	leads, follows := info{primary: true}, info{linked: true}
	for name, c := range map[string]struct {
		seen    sight
		role    string
		healthy bool
	}{
		"a primary":                           {sight{info: leads, standing: well, nodes: seen("a", three...)}, stores.MemberPrimary, true},
		"a replica":                           {sight{info: follows, standing: well, nodes: seen("b", three...)}, stores.MemberReplica, true},
		"a primary of nothing":                {sight{info: leads, standing: well, nodes: seen("c", three...)}, stores.MemberPrimary, false},
		"a replica that copies":               {sight{standing: well, nodes: seen("b", three...)}, stores.MemberReplica, false},
		"one that loads":                      {sight{info: info{primary: true, loading: true}, standing: well, nodes: seen("a", three...)}, stores.MemberPrimary, false},
		"one of a cluster that is down":       {sight{info: leads, standing: standing{served: slotCount}, nodes: seen("a", three...)}, stores.MemberPrimary, false},
		"one of a cluster that is half there": {sight{info: leads, standing: standing{up: true, served: 5}, nodes: seen("a", three...)}, stores.MemberPrimary, false},
		"one that doesn't know all":           {sight{info: leads, standing: well, nodes: seen("a", three[:2]...)}, stores.MemberPrimary, false},
		"one that knows somebody else":        {sight{info: leads, standing: well, nodes: seen("a", append(three, primary("x", 0))...)}, stores.MemberPrimary, false},
		"one that is away":                    {sight{err: errors.New("away")}, stores.MemberUnknown, false},
	} {
		state := clusterState(&c.seen, len(three))
		if state.Role != c.role || state.Healthy != c.healthy || (state.Error == "") != c.healthy {
			t.Errorf("%s: %+v", name, state)
		}
		if state.Leader != "" || state.Term != 0 {
			t.Errorf("%s: it leads: %+v", name, state)
		}
	}
}

func TestWhatAClusterSaysOfItself(t *testing.T) {
	for text, want := range map[string]standing{
		"cluster_state:ok\r\ncluster_slots_assigned:16384\r\ncluster_slots_ok:16384\r\n": {true, slotCount},
		"cluster_state:fail\r\ncluster_slots_ok:5461\r\n":                                {false, 5461},
		"cluster_slots_ok:all\r\n":                                                       {},
		"":                                                                               {},
	} {
		if got := readCluster(text); got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestACommandIsLostWhenItsAnswerIs(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		lost   bool
		good   bool
	}{
		"done":    {"+OK\r\n", false, true},
		"refused": {"-ERR no\r\n", false, false},
		"lost":    {closes, true, false},
	} {
		w := &watched{server: newPeer(startFake(t, map[string]string{"CLUSTER": c.answer}).address, nil)}
		lost, err := w.do(t.Context(), []string{"CLUSTER", "FORGET", "x"})
		if lost != c.lost || (err == nil) != c.good {
			t.Errorf("%s: lost %v, %v", name, lost, err)
		}
		w.server.drop()
	}
	nobody := &watched{server: newPeer("127.0.0.1:1", nil)}
	if lost, err := nobody.do(t.Context(), []string{"CLUSTER", "FORGET", "x"}); lost || err == nil {
		t.Errorf("nobody is there: lost %v, %v", lost, err)
	}
}
