package outage_test

import (
	"testing"

	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/internal/stores"
)

func TestEachFaultOfAnEpisodeMustShow(t *testing.T) {
	const early, later = 5 * second, 12 * second
	both := []act{cut("m-1", early, 18*second), cut("m-2", later, 16*second)}
	for name, c := range map[string]struct {
		away                    []span
		observed                []seen
		firstShows, secondShows bool
	}{
		"both of the targets are away": {
			nil, []seen{{early + 250_000, "m-0", 5, "m-1"}, {later + 250_000, "m-0", 5, "m-2"}, {18*second + 500_000, "m-0", 5, ""}},
			true, true,
		},
		"an outage begins with each: the second one may be the earlier one's doing": {
			[]span{{early + 50_000, 6 * second}, {later + 50_000, 13 * second}}, nil,
			true, false,
		},
		"an outage begins with the later one: it is no sign of any": {
			[]span{{later + 50_000, 13 * second}}, nil,
			false, false,
		},
		"an outage of the earlier one goes on: it is no sign of the later one": {
			[]span{{early + 50_000, 14 * second}}, nil,
			true, false,
		},
		"another member leads after the later one: it is no sign of any": {
			nil, []seen{{later + 250_000, "m-2", 5, ""}},
			false, false,
		},
		"another member leads after the later one, whose target is away": {
			nil, []seen{{later + 250_000, "m-0", 5, "m-2"}, {18*second + 500_000, "m-0", 5, ""}},
			false, true,
		},
		"only the target of the earlier one is away": {
			nil, []seen{{early + 250_000, "m-0", 5, "m-1"}, {18*second + 500_000, "m-0", 5, ""}},
			true, false,
		},
		"nothing shows": {nil, nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := faultsOf(t, both, c.away, c.observed)
			if got[0].Effective != c.firstShows || got[1].Effective != c.secondShows {
				t.Errorf("effective are %t and %t", got[0].Effective, got[1].Effective)
			}
		})
	}
}

// A return may take the service away, or have another leader elected, once more.
func TestAFaultOfAnEpisodeIsNeverAloneWithOneBeforeIt(t *testing.T) {
	outage := []span{{12*second + 50_000, 13 * second}}
	elected := []seen{{12*second + 250_000, "m-0", 5, ""}}
	peer := []seen{{12*second + 250_000, "m-1", 4, "m-0"}}
	with := func(one act) act { one.peers = []string{"m-0", "m-1"}; return one }
	for name, c := range map[string]struct {
		before   []act
		away     []span
		observed []seen
		shows    bool
	}{
		"an outage, and none was before":                     {nil, outage, nil, true},
		"an outage, and one before goes on":                  {[]act{cut("m-1", 5*second, 18*second)}, outage, nil, false},
		"an outage, and one before ended within its bracket": {[]act{cut("m-1", 5*second, 12*second)}, outage, nil, false},
		"an outage, and one before ended before it":          {[]act{cut("m-1", 5*second, 18*second), cut("m-0", 6*second, 7*second)}, outage, nil, false},
		"an outage, and one may have been before":            {[]act{cut("m-1", 12*second+bracket/2, 18*second)}, outage, nil, false},
		"another leads, and none was before":                 {nil, nil, elected, true},
		"another leads, and one before goes on":              {[]act{cut("m-1", 5*second, 18*second)}, nil, elected, false},
		"a peer is away, and none was before":                {nil, nil, peer, true},
		"a peer is away, and one before goes on":             {[]act{cut("m-1", 5*second, 18*second)}, nil, peer, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := faultsOf(t, append(c.before, with(cut("m-2", 12*second, 17*second))), c.away, c.observed)
			if f := got[len(got)-1]; f.Effective != c.shows {
				t.Errorf("effective is %t", f.Effective)
			}
		})
	}
}

// What happens in the middle of a long fault has another cause, unless its target or a peer shows it.
func TestWhatComesLongAfterAnInjectionOrAnEndIsNoSign(t *testing.T) {
	const injected, ended = 3 * second, 20 * second
	outageAt := func(at int64) []span { return []span{{at, at + second}} }
	elected := func(at int64) []seen { return []seen{{at, "m-0", 5, ""}} }
	for name, c := range map[string]struct {
		away     []span
		observed []seen
		shows    bool
	}{
		"an outage soon after the injection":        {outageAt(injected + 9*second), nil, true},
		"an outage in its middle":                   {outageAt(injected + 11*second), nil, false},
		"an outage soon after its end":              {outageAt(ended + second), nil, true},
		"another one leads soon":                    {nil, elected(injected + 9*second), true},
		"another one leads in its middle":           {nil, elected(injected + 11*second), false},
		"another one leads soon after its end":      {nil, elected(ended + second), true},
		"its target is away in its middle":          {nil, []seen{{injected + 11*second, "m-1", 4, "m-2"}}, true},
		"a peer misses its target in its middle":    {nil, []seen{{injected + 11*second, "m-1", 4, "m-0"}}, true},
		"an outage soon, and another in its middle": {append(outageAt(injected+second), outageAt(injected+11*second)...), nil, true},
		"an outage in its middle and one after it":  {append(outageAt(injected+11*second), outageAt(ended+second)...), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			one := cut("m-2", injected, ended)
			one.peers = []string{"m-0", "m-1"}
			got, _ := faultsOf(t, []act{one}, c.away, c.observed)
			if f := got[0]; f.Effective != c.shows {
				t.Errorf("effective is %t", f.Effective)
			}
		})
	}
}

func TestAMemberThatNeitherAFaultHitNorLeadsIsNoSignOfIt(t *testing.T) {
	for name, c := range map[string]struct {
		observed  seen
		effective bool
	}{
		"another member is away": {seen{9 * second, "m-1", 4, "m-0"}, false},
		"its target is away":     {seen{9 * second, "m-1", 4, "m-2"}, true},
		"another one leads":      {seen{9 * second, "m-0", 5, ""}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := faultsOf(t, []act{cut("m-2", 8*second, 14*second)}, nil, []seen{c.observed})
			if f := got[0]; f.Effective != c.effective {
				t.Errorf("effective is %t", f.Effective)
			}
		})
	}
}

// A member that doesn't hear the target isn't healthy itself. One that doesn't answer is away for another reason.
func TestAFaultShowsInThePeersOfItsTarget(t *testing.T) {
	silent := func(s *reporttest.Situation) {
		line := seen{0, "m-1", 4, "m-0"}.line()
		line.Members[0].Role = stores.MemberUnknown
		s.Observe(9*second, 32*second, second/4, line)
	}
	observed := []seen{{9 * second, "m-1", 4, "m-0"}}
	for name, c := range map[string]struct {
		peers     []string
		changes   []func(*reporttest.Situation)
		effective bool
	}{
		"a peer isn't healthy":       {[]string{"m-0", "m-1"}, nil, true},
		"it is no peer":              {[]string{"m-1"}, nil, false},
		"a peer doesn't answer":      {[]string{"m-0", "m-1"}, []func(*reporttest.Situation){silent}, false},
		"the fault separates nobody": {nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			one := cut("m-2", 8*second, 14*second)
			one.peers = c.peers
			got, _ := faultsOf(t, []act{one}, nil, observed, c.changes...)
			if f := got[0]; f.Effective != c.effective {
				t.Errorf("effective is %t", f.Effective)
			}
		})
	}
}

// A leader may live with what lasts.
func TestALeaderThatStaysIsNoSignAgainstAFaultThatLasts(t *testing.T) {
	away := []span{{8*second + 50_000, 9 * second}}
	observed := []seen{{8*second + 250_000, "m-1", 4, "m-1"}, {16 * second, "m-1", 4, ""}}
	for _, c := range []struct {
		act       act
		effective bool
	}{{cut("m-1", 8*second, 14*second), true}, {kill("m-1", 8*second), false}} {
		got, _ := faultsOf(t, []act{c.act}, away, observed)
		if f := got[0]; f.Effective != c.effective || f.LeaderAfter != "m-1" {
			t.Errorf("%s: effective is %t, and %q leads after it", f.Name, f.Effective, f.LeaderAfter)
		}
	}
}

func TestAFaultMayHitSeveralMembers(t *testing.T) {
	away := []span{{8*second + 50_000, 9 * second}}
	for name, c := range map[string]struct {
		observed  []seen
		effective bool
	}{
		"the second one is away": {[]seen{{8*second + 250_000, "m-1", 4, "m-2"}, {11 * second, "m-1", 4, ""}}, true},
		"none of them is away":   {nil, false},
		"another one is away":    {[]seen{{8*second + 250_000, "m-1", 4, "m-1"}, {11 * second, "m-1", 4, ""}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := faultsOf(t, []act{kill("m-0,m-2", 8*second)}, away, c.observed)
			if f := got[0]; f.Effective != c.effective || f.Target != "" || len(f.Targets) != 2 {
				t.Errorf("effective is %t on %q, %q", f.Effective, f.Target, f.Targets)
			}
		})
	}
}
