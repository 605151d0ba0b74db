package parse

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/imported"
)

// What spoils figures has to reach whoever compares them. Remarks do.
func TestWhatSpoilsFiguresIsRemarked(t *testing.T) {
	const overall = "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 5.0\n"
	const k6 = "iteration_duration......: avg=9ms max=9ms\niterations......: 45 3/s\n"
	both := overall + section("READ", "90") + section("READ-FAILED", "3") + section("Intended-READ", "90")
	for name, c := range map[string]struct {
		tool, text string
		want       string // "" for no remark
	}{
		"k6's requests that failed":           {imported.K6, string(sample(t, "k6.txt")), "hold the 5 requests that failed"},
		"k6's iterations that were dropped":   {imported.K6, k6 + "dropped_iterations......: 12 0.5/s\n", "k6 dropped 12 iterations"},
		"the same in JSON":                    {imported.K6, `{"metrics":{"iteration_duration":{"avg":9},"iterations":{"count":45,"rate":3},"dropped_iterations":{"count":12,"rate":0.5}}}`, "k6 dropped 12 iterations"},
		"no dropped iterations":               {imported.K6, k6 + "dropped_iterations......: 0 0/s\n", "!dropped"},
		"memtier's misses":                    {imported.Memtier, string(sample(t, "memtier.txt")), "64307.54 reads/s found no record"},
		"the same in JSON of memtier":         {imported.Memtier, string(sample(t, "memtier.json")), "64307.54 reads/s found no record"},
		"no misses":                           {imported.Memtier, string(sample(t, "memtier-2.0.json")), "!found no record"},
		"Intended latencies of YCSB":          {imported.YCSB, both, "only if the run had a target rate"},
		"kvbench has them in open loops only": {imported.YCSB, "[KVBENCH], ThroughputOfSuccesses, true\n" + both, "!target rate"},
		"YCSB's throughput":                   {imported.YCSB, both, "counts operations that failed too"},
		"kvbench's throughput":                {imported.YCSB, "[KVBENCH], ThroughputOfSuccesses, true\n" + both, "!failed too"},
		"operations that never started":       {imported.YCSB, "[KVBENCH], ResponseTimeCensored, true\n" + both, "lower bounds, and are left out"},
		"a saturated store":                   {imported.YCSB, "[KVBENCH], Saturated, true\n" + both, "grew until the end, and are left out"},
		"parts of go-ycsb":                    {imported.GoYCSB, "Run finished, takes 1s\n" + goYCSBLine("READ-MODIFY-WRITE", "9") + goYCSBLine("TOTAL", "9"), "TOTAL counts a read-modify-write as"},
	} {
		m, err := Output(c.tool, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, absent := strings.CutPrefix(c.want, "!")
		if has := slices.ContainsFunc(m.Remarks, func(r string) bool { return strings.Contains(r, text) }); has == absent {
			t.Errorf("%s: %q, want %q", name, m.Remarks, c.want)
		}
	}
}

// The share of errors needs the failures of each operation on the store, and each of them once.
func TestTheShareOfErrorsIsKnownWhereTheToolTellsIt(t *testing.T) {
	const overall = "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 5.0\n"
	const go1 = "Run finished, takes 1s\n"
	counted := section("READ", "9") + "[READ], Return=OK, 9\n"
	for name, c := range map[string]struct {
		tool, text string
		known      bool
	}{
		"k6 counts requests that failed":    {imported.K6, string(sample(t, "k6-0.x.json")), true},
		"k6 doesn't of a custom trend":      {imported.K6, string(sample(t, "k6.txt")), false},
		"an iteration alone":                {imported.K6, "iteration_duration......: avg=9ms max=9ms\niterations......: 45 3/s\n", false},
		"YCSB":                              {imported.YCSB, overall + counted, true},
		"YCSB's read-modify-writes":         {imported.YCSB, overall + counted + section("READ-MODIFY-WRITE", "9") + section("READ-MODIFY-WRITE-FAILED", "1"), false},
		"kvbench, and some never started":   {imported.YCSB, "[KVBENCH], ResponseTimeCensored, true\n" + overall + counted, false},
		"go-ycsb":                           {imported.GoYCSB, go1 + goYCSBLine("READ", "9"), true},
		"go-ycsb's read-modify-writes":      {imported.GoYCSB, go1 + goYCSBLine("READ", "9") + goYCSBLine("READ_MODIFY_WRITE", "9"), false},
		"those of an older go-ycsb":         {imported.GoYCSB, go1 + goYCSBLine("READ", "9") + goYCSBLine("READ-MODIFY-WRITE", "9"), false},
		"memtier counts no failures at all": {imported.Memtier, string(sample(t, "memtier.json")), false},
	} {
		m, err := Output(c.tool, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		set := (&imported.Imported{Workload: "w", Measured: *m}).Figures()
		if known := set.Find("w", "", "", "errors") != nil; known != c.known {
			t.Errorf("%s: known is %v: %q", name, known, told(m))
		}
	}
}

// A count from the begin at each entry would take hours for a large document.
func TestLinesAreCountedOnce(t *testing.T) {
	content := []byte("a\nb\nc\nd\n")
	lines := lineCounter{content: content}
	for offset, want := range []int{1, 1, 2, 2, 3} {
		if got := lines.at(int64(offset)); got != want || got != lineAt(append(bytes.Clone(content[:offset]), 'x'), int64(offset+1)) {
			t.Errorf("the byte %d is in line %d, want %d", offset, got, want)
		}
	}
	copy(content, "\n\n\n\n") // whoever looks back sees these
	if got := lines.at(7); got != 4 {
		t.Errorf("line %d, want 4", got)
	}
}
