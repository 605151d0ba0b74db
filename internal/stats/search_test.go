package stats

import "testing"

func TestTheNextRateFollowsFromThoseThatWereTried(t *testing.T) {
	r := SearchRange{First: 100, Growth: 2, Most: 1000, Precision: 0.05}
	for _, c := range []struct {
		name  string
		tried []Tried
		rate  float64
		ok    bool
	}{
		{"the first", nil, 100, true},
		{"it grows", []Tried{{100, true}}, 200, true},
		{"it grows on", []Tried{{100, true}, {200, true}, {400, true}}, 800, true},
		{"up to the most", []Tried{{800, true}}, 1000, true},
		{"and no further", []Tried{{800, true}, {1000, true}}, 0, false},
		{"it shrinks", []Tried{{100, false}}, 50, true},
		{"it shrinks on", []Tried{{100, false}, {50, false}, {25, false}}, 12.5, true},
		{"until there is nothing to measure", []Tried{{100, false}, {1.5, false}}, 0, false},
		{"the bracket is halved", []Tried{{100, true}, {200, false}}, 150, true},
		{"after it shrank, too", []Tried{{100, false}, {50, true}}, 75, true},
		{"above", []Tried{{100, true}, {200, false}, {150, true}}, 175, true},
		{"below", []Tried{{100, true}, {200, false}, {150, false}}, 125, true},
		{"until it is narrow enough", []Tried{{100, true}, {105, false}}, 0, false},
		{"and not before", []Tried{{100, true}, {106, false}}, 103, true},
		{"a rate that met by chance above one that missed doesn't count", []Tried{{100, true}, {200, false}, {300, true}}, 150, true},
	} {
		rate, ok := r.Next(c.tried)
		if ok != c.ok || ok && rate != c.rate {
			t.Errorf("%s: %g, %v, want %g, %v", c.name, rate, ok, c.rate, c.ok)
		}
	}
}

// Whatever the store can do, the search finds it to its precision and comes to an end.
func TestASearchFindsTheHighestRate(t *testing.T) {
	for _, limit := range []float64{0.5, 1, 3, 99, 100, 101, 12_345, 999_999, 5e6} {
		r := SearchRange{First: 1000, Growth: 2, Most: 1e6, Precision: 0.01}
		var tried []Tried
		for {
			rate, ok := r.Next(tried)
			if !ok {
				break
			}
			if tried = append(tried, Tried{rate, rate <= limit}); len(tried) > 60 {
				t.Fatalf("limit %g: no end after %v", limit, tried)
			}
		}
		met, _ := Bracket(tried)
		if want := min(limit, r.Most); met > want || limit >= 2 && met < want/1.01-1e-9 {
			t.Errorf("limit %g: found %g", limit, met)
		}
	}
}
