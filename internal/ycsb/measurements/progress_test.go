package measurements

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/stores"
)

// did records n operations that were sent so long after the begin.
func did(set *record.Set, kind stores.Kind, outcome stores.Outcome, sent, service time.Duration, n int) *record.Interval {
	for range n {
		set.Recorder(0).Finish(&record.Sample{Kind: kind, Outcome: outcome, Intended: sent - time.Millisecond, Sent: sent, Done: sent + service})
	}
	return set.Collect()
}

func TestALineOfProgressIsYCSBs(t *testing.T) {
	begin := time.Date(2026, 11, 21, 22, 20, 32, 149_000_000, time.UTC)
	set := record.NewSet(1, begin.UnixNano(), true)
	var out strings.Builder
	p := &Progress{To: &out, Label: "first ", Every: 2 * time.Second, Open: true, Interval: "both", Todo: 1000}
	p.Start(begin)
	p.Second(did(set, stores.Read, stores.OK, time.Second, 250*time.Microsecond, 100), begin.Add(990*time.Millisecond))
	if out.Len() > 0 {
		t.Errorf("printed %q after a second", out.String())
	}
	p.Second(did(set, stores.Update, stores.Unknown, time.Second, 3*time.Microsecond, 1), begin.Add(1990*time.Millisecond))
	want := "first 2026-11-21 22:20:34:139 1 sec: 101 operations; 50.75 current ops/sec; est completion in 18 seconds " +
		"[READ: Count=100, Max=250, Min=250, Avg=250, 50=250, 90=250, 99=250, 99.9=250, 99.99=250] " +
		"[UPDATE-FAILED: Count=1, Max=3, Min=3, Avg=3, 50=3, 90=3, 99=3, 99.9=3, 99.99=3] " +
		"[Intended-READ: Count=100, Max=1250, Min=1250, Avg=1250, 50=1250, 90=1250, 99=1250, 99.9=1250, 99.99=1250] " +
		"[Intended-UPDATE-FAILED: Count=1, Max=1003, Min=1003, Avg=1003, 50=1003, 90=1003, 99=1003, 99.9=1003, 99.99=1003]\n"
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", out.String(), want)
	}

	// The next line has what came after.
	out.Reset()
	p.Second(did(set, stores.Read, stores.OK, 3*time.Second, 2*time.Microsecond, 2), begin.Add(4*time.Second))
	if line := out.String(); !strings.Contains(line, " 4 sec: 103 operations; 1 current ops/sec; ") ||
		!strings.Contains(line, "[READ: Count=2, Max=2,") || strings.Contains(line, "[UPDATE") {
		t.Errorf("printed %s", line)
	}
}

func TestProgressSaysWhatIsLeft(t *testing.T) {
	for _, c := range []struct {
		name    string
		p       Progress
		elapsed time.Duration
		want    string
	}{
		{"nothing to go by", Progress{done: 5}, time.Second, "unknown"},
		{"operations", Progress{Todo: 40, done: 10}, 10 * time.Second, "30 seconds"},
		{"no operation yet", Progress{Todo: 40}, 10 * time.Second, "unknown"},
		{"all operations", Progress{Todo: 40, done: 40}, 10 * time.Second, "unknown"},
		{"operations, and the warm-up's don't count", Progress{Todo: 40, done: 30, warmed: 20, Warmup: 5 * time.Second}, 15 * time.Second, "30 seconds"},
		{"time", Progress{Until: 11 * time.Second}, 10 * time.Second, "1 second"},
		{"whichever comes first", Progress{Todo: 40, done: 10, Until: time.Minute}, 10 * time.Second, "30 seconds"},
		{"the other one", Progress{Todo: 40, done: 1, Until: time.Minute}, 10 * time.Second, "50 seconds"},
		{"minutes", Progress{Until: 61 * time.Second}, 0, "1 minute"},
		{"hours", Progress{Until: 2*time.Hour + time.Minute}, 0, "2 hours 1 minute"},
		{"days", Progress{Until: 25 * time.Hour}, 0, "1 day 1 hour"},
	} {
		got := "unknown"
		if left, known := c.p.left(c.elapsed); known {
			got = inWords(left)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestProgressCountsWhatNeverStartedAndWhatTheWarmUpDid(t *testing.T) {
	begin := time.Unix(1_800_000_000, 0)
	set := record.NewSet(1, begin.UnixNano(), true)
	p := &Progress{To: io.Discard, Every: time.Hour, Open: true, Warmup: 2 * time.Second}
	p.Start(begin)
	for second := range time.Duration(4) {
		set.Recorder(0).NeverStart(second * time.Second)
		p.Second(did(set, stores.Read, stores.OK, second*time.Second, time.Millisecond, 10), begin.Add((second+1)*time.Second))
	}
	if line := p.line(begin.Add(4 * time.Second)); p.warmed != 20 || !strings.Contains(line, "40 operations; ") || !strings.Contains(line, "; 4 never started; ") {
		t.Errorf("%d are the warm-up's, and the line is %s", p.warmed, line)
	}
}
