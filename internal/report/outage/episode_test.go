package outage_test

import (
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// Two faults whose figures can't be told apart have one outage.
func TestFaultsThatOverlapHaveOneOutage(t *testing.T) {
	const none = unseen
	for name, c := range map[string]struct {
		acts    []act
		away    []span
		outages []int64 // of each fault; none if it is part of the first
	}{
		"two that overlap": {
			[]act{cut("m-1", 8*second, 13*second), cut("m-2", 10*second, 15*second)},
			[]span{{8*second + 50_000, 11 * second}}, []int64{2950_000, none},
		},
		"two that overlap, the later one first in the plan": {
			[]act{cut("m-2", 10*second, 15*second), cut("m-1", 8*second, 13*second)},
			[]span{{8*second + 50_000, 11 * second}}, []int64{none, 2950_000},
		},
		"two that are apart": {
			[]act{cut("m-1", 6*second, 8*second), cut("m-2", 15*second, 17*second)},
			[]span{{6*second + 50_000, 7 * second}, {15*second + 50_000, 17 * second}}, []int64{950_000, 1950_000},
		},
		"one within another": {
			[]act{cut("m-1", 6*second, 15*second), cut("m-2", 8*second, 10*second)},
			[]span{{8*second + 50_000, 11 * second}}, []int64{2950_000, none},
		},
		"a kill within one that lasts": {
			[]act{cut("m-1", 6*second, 15*second), kill("m-2", 8*second)},
			[]span{{8*second + 50_000, 11 * second}}, []int64{2950_000, none},
		},
		"one that lasts begins while a kill may still come": {
			[]act{kill("m-2", 8*second), cut("m-1", 8*second+bracket/2, 13*second)},
			[]span{{8*second + 200_000, 11 * second}}, []int64{2800_000, none},
		},
		"the end of one may be after the begin of the next": {
			[]act{cut("m-1", 6*second, 8*second), cut("m-2", 8*second+bracket/2, 10*second)},
			[]span{{8*second + 200_000, 11 * second}}, []int64{2800_000, none},
		},
		"the first lasts until the third": {
			[]act{cut("m-1", 6*second, 18*second), kill("m-2", 7*second), kill("m-0", 15*second)},
			[]span{{7*second + 50_000, 8 * second}, {15*second + 50_000, 17 * second}}, []int64{1950_000, none, none},
		},
		"nobody saw the end of the first": {
			[]act{cut("m-1", 6*second, unseen), kill("m-2", 15*second)},
			[]span{{15*second + 50_000, 17 * second}}, []int64{1950_000, none},
		},
		"two kills at once": {
			[]act{kill("m-1", 8*second), kill("m-2", 8*second+bracket/2)},
			[]span{{8*second + 200_000, 11 * second}}, []int64{0, 2800_000},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := faultsOf(t, c.acts, c.away, nil)
			for i, want := range c.outages {
				f := got[i]
				if want == none {
					if f.PartOf == "" || f.OutageMicros != nil || f.Outages != nil || f.DownTotalMicros != nil || f.DownAt != nil || f.LongestGapMicros != nil || len(f.Series) > 0 || f.OutageCensored {
						t.Errorf("%s has figures of its own: %+v", f.Name, f)
					}
					continue
				}
				if f.PartOf != "" || f.OutageMicros == nil {
					t.Fatalf("%s is part of %q: %+v", f.Name, f.PartOf, f)
				}
				bundletest.Near(t, "outage of "+f.Name, *f.OutageMicros, want, 50*bundletest.Millisecond)
			}
			for _, f := range got {
				if f.PartOf != "" && f.PartOf != firstOf(c.acts) {
					t.Errorf("%s is part of %q", f.Name, f.PartOf)
				}
			}
		})
	}
}

func firstOf(acts []act) string {
	first := acts[0]
	for _, a := range acts {
		if a.injected < first.injected {
			first = a
		}
	}
	return first.name
}

func TestAFaultThatLastsIsFollowedToItsEndAndBeyond(t *testing.T) {
	const injected, ended = 8 * second, 15 * second
	failover := span{injected + 50_000, injected + 1550_000}
	// An old leader doesn't know of the next one, and each looks well by itself.
	elected := []seen{{injected + 750_000, "", 4, "m-1"}, {injected + 1500_000, "m-2", 5, ""}}
	for name, c := range map[string]struct {
		ended    int64
		away     []span
		observed []seen

		outage, total int64
		outages       int
		censored      bool
		healed        int64 // unseen if it isn't
	}{
		"another leader serves while it lasts": {
			ended, []span{failover}, elected,
			1500_000, 1500_000, 1, false, ended + bracket + second/4,
		},
		"a member catches up after its end": {
			ended, []span{failover}, append(elected, seen{injected + 2*second, "m-2", 5, "m-1"}, seen{ended + 2*second, "m-2", 5, ""}),
			1500_000, 1500_000, 1, false, ended + 2*second,
		},
		"its end takes the service away again": {
			ended, []span{failover, {ended + 300_000, ended + 3300_000}}, append(elected, seen{ended + 500_000, "", 5, ""}, seen{ended + 3*second, "m-0", 6, ""}),
			3000_000, 4500_000, 2, false, ended + bracket + second/4,
		},
		"the members' return takes the service away long after its end": {
			11 * second, []span{failover, {18*second + 500_000, 20 * second}}, elected,
			1500_000, 3000_000, 2, false, 11*second + bracket + second/4,
		},
		"the service is away until its end": {
			ended, []span{{failover.from, ended + 500_000}}, []seen{{injected + 500_000, "", 4, "m-1"}, {ended + 500_000, "m-2", 5, ""}},
			7450_000, 7450_000, 1, false, ended + 500_000,
		},
		"the members are never whole again": {
			ended, []span{failover}, append(elected, seen{injected + 2*second, "m-2", 5, "m-1"}),
			1500_000, 1500_000, 1, true, unseen,
		},
		"another member than its target is never whole again": {
			ended, []span{failover}, []seen{{injected + 2*second, "m-1", 4, "m-0"}},
			1500_000, 1500_000, 1, true, unseen,
		},
		"nobody saw its end": {
			unseen, []span{failover}, elected,
			1500_000, 1500_000, 1, true, unseen,
		},
		"clients did not notice": {
			ended, nil, elected,
			0, 0, 0, false, ended + bracket + second/4,
		},
		"the members did not notice": {
			ended, []span{failover}, nil,
			1500_000, 1500_000, 1, false, ended + bracket + second/4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := faultsOf(t, []act{cut("m-1", injected, c.ended)}, c.away, c.observed)
			f := got[0]
			bundletest.Near(t, "outage", *f.OutageMicros, c.outage, 50*bundletest.Millisecond)
			bundletest.Near(t, "down in all", *f.DownTotalMicros, c.total, 100*bundletest.Millisecond)
			if *f.Outages != c.outages || f.OutageCensored != c.censored || !f.Effective {
				t.Errorf("%d outages, censored is %t, effective is %t", *f.Outages, f.OutageCensored, f.Effective)
			}
			if (f.EndedAt == nil) != (c.ended == unseen) || *f.DurationMicros != 5*second {
				t.Errorf("ended at %+v", f.EndedAt)
			}
			if (f.HealedAt == nil) != (c.healed == unseen) || (f.RecoveryMicros == nil) != (c.healed == unseen) {
				t.Fatalf("healed at %+v, recovered in %v", f.HealedAt, f.RecoveryMicros)
			}
			if c.healed != unseen {
				// The measurement begins after two seconds. The observer looks four times a second.
				bundletest.Near(t, "healed", f.HealedAt.SinceStartMicros, c.healed-2*second, 250*bundletest.Millisecond)
				bundletest.Near(t, "recovered in", *f.RecoveryMicros, c.healed-c.ended, 250*bundletest.Millisecond)
				if int64(f.HealedAt.SinceStartMicros) < c.ended+bracket-2*second {
					t.Errorf("healed at %d, before it ended", f.HealedAt.SinceStartMicros)
				}
			}
		})
	}
}

func TestTheSecondsUntilTheEndOfAFaultAreItsOwn(t *testing.T) {
	for ended, want := range map[int64]instant.Window{
		15 * second: {From: 6, To: 13},
		unseen:      {From: 6, To: 25}, // all that is recorded
	} {
		if _, windows := faultsOf(t, []act{cut("m-1", 8*second, ended)}, nil, nil); !slices.Equal(windows, []instant.Window{want}) {
			t.Errorf("it was at work in %+v, want %+v", windows, want)
		}
	}
}

func TestAFaultThatLastsLosesNoRecords(t *testing.T) {
	fewer := func(s *reporttest.Situation) {
		s.Plan.Store.Consensus = false
		s.Observe(0, 9*second, second/4, holding(310, 350, 340))
		s.Observe(9*second, 32*second, second/4, holding(310, 200, 340))
	}
	for _, c := range []struct {
		act  act
		lost bool
	}{{cut("m-1", 8*second+500_000, 14*second), false}, {kill("m-1", 8*second+500_000), true}} {
		got, _ := faultsOf(t, []act{c.act}, []span{{9 * second, 10 * second}}, nil, fewer)
		if f := got[0]; (f.RecordsBefore != nil) != c.lost || (f.RecordsLost != nil) != c.lost {
			t.Errorf("%s: records %v, lost %v", f.Name, f.RecordsBefore, f.RecordsLost)
		}
	}
}
