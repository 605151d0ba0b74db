package scripted

import (
	"testing"
	"time"
)

func TestOperationsEndAsTheScriptSays(t *testing.T) {
	const ms = time.Millisecond
	window := func(b Behaviour) *Script {
		return &Script{ServiceTime: 2 * ms, Faults: []Fault{{Behaviour: b, From: 100 * ms, To: 3100 * ms, Turn: 10 * ms}}}
	}
	for _, c := range []struct {
		name     string
		script   *Script
		sent     time.Duration
		timeout  time.Duration
		how      verdict
		duration time.Duration
	}{
		{"before a stall", window(Stall), 97 * ms, 5000 * ms, answered, 2 * ms},
		{"under way at a stall", window(Stall), 99 * ms, 5000 * ms, answered, 3001 * ms},
		{"in a stall", window(Stall), 2000 * ms, 5000 * ms, answered, 1100 * ms},
		{"in a stall beyond its deadline", window(Stall), 200 * ms, 2000 * ms, overdue, 2000 * ms},
		{"after a stall", window(Stall), 3100 * ms, 5000 * ms, answered, 2 * ms},
		{"under way and swallowed", window(Swallow), 99 * ms, 2000 * ms, overdue, 2000 * ms},
		{"swallowed just before the end", window(Swallow), 3099 * ms, 2000 * ms, overdue, 2000 * ms},
		{"after swallowing", window(Swallow), 3100 * ms, 2000 * ms, answered, 2 * ms},
		{"refused", window(Refuse), 200 * ms, 2000 * ms, refused, 0},
		{"under way at a refusal", window(Refuse), 99 * ms, 2000 * ms, answered, 2 * ms},
		{"first turn of a flap", window(Flap), 105 * ms, 2000 * ms, refused, 0},
		{"second turn of a flap", window(Flap), 115 * ms, 2000 * ms, answered, 2 * ms},
		{"third turn of a flap", window(Flap), 125 * ms, 2000 * ms, refused, 0},
	} {
		how, done := c.script.judge(c.sent, c.sent+c.timeout)
		if how != c.how || done-c.sent != c.duration {
			t.Errorf("%s: verdict %d after %v, want %d after %v", c.name, how, done-c.sent, c.how, c.duration)
		}
	}
}
