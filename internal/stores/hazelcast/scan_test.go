package hazelcast

import "testing"

func TestAPageIsWhatAMessageHolds(t *testing.T) {
	for name, c := range map[string]struct{ most, wanted, want int }{
		"nothing is known yet":      {0, 50, 1},
		"all that are wanted":       {1000, 50, 50},
		"a page":                    {1000, 500, pageRows},
		"as many large ones as fit": {maxMessage / 8, 50, 4},
		"one of the largest":        {maxMessage, 50, 1},
	} {
		if got := (&rows{most: c.most}).pageFor(c.wanted); got != c.want {
			t.Errorf("%s: %d rows, want %d", name, got, c.want)
		}
	}
}
