package live

import (
	"fmt"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
)

// logRow is a row of a worker's interval log, of operations that took so many microseconds.
func logRow(t testing.TB, tag string, unixSecond int64, micros ...int64) string {
	t.Helper()
	h := hdr.New(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
	for _, m := range micros {
		if err := h.RecordValue(m); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("Tag=%s,%d.000,1.000,0.1,%s\n", tag, unixSecond, bundletest.Encoded(t, h))
}

// upTo are the numbers from 1 on.
func upTo(n int64) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(i) + 1
	}
	return all
}

func TestWhatEndedIsOfTheMergedHistogramsOfOneSecond(t *testing.T) {
	unix := start.Unix()
	row := func(tag string, second int64, micros ...int64) string { return logRow(t, tag, unix+second, micros...) }
	end := row("LAG", 0, 1) + row("LAG", 1, 1)
	for _, c := range []struct {
		what string
		logs []string // of both workers
		want string   // the p99 in microseconds, errors, and the age at 2.5 s after the start; "" is not known
	}{
		{"the hundred fastest of one, and the next hundred of the other", []string{row("READ", 0, upTo(100)...) + end, row("READ", 0, upTo(200)[100:]...) + end}, "198 of 1500 ms ago"},
		{"operations of all kinds", []string{row("READ", 0, upTo(100)...) + row("UPDATE", 0, upTo(200)[100:]...) + end, end}, "198 of 1500 ms ago"},
		{"the second of which both have all", []string{row("READ", 0, 7) + row("READ", 1, 8) + row("READ", 2, 9), row("READ", 0, 5) + end}, "7 of 1500 ms ago"},
		{"response times before service times", []string{row("READ", 0, 3) + row("Intended-READ", 0, 70) + row("Wait-READ", 0, 67) + end, end}, "response 70 of 1500 ms ago"},
		{"no parts, and no lag", []string{row("READ", 0, 7) + row("Part-UPDATE", 0, 90) + row("Part-UPDATE-FAILED", 0, 90) + row("LAG", 0, 93) + end, end}, "7 of 1500 ms ago"},
		{"failures are errors, and have no p99", []string{row("READ", 0, 7) + row("READ-FAILED", 0, 91, 92) + row("UPDATE-UNKNOWN", 0, 92) + end, row("READ-FAILED", 0, 1) + end}, "7 of 1500 ms ago, 4 errors"},
		{"a failure of an open loop has three rows", []string{row("READ-FAILED", 0, 91) + row("Intended-READ-FAILED", 0, 92) + row("Wait-READ-FAILED", 0, 1) + end, end}, "0 of 1500 ms ago, 1 errors"},
		{"failures that were intended long ago", []string{"#[of the next row] " + row("READ-UNKNOWN", -2, 2_000_000) + row("READ-UNKNOWN", 0, 2_000_000) + end, end}, "0 of 1500 ms ago, 1 errors"},
		{"what ended in the second, whenever it was intended", []string{"#[of the next row] " + row("READ", -10, 50) + row("READ", 0, 7, 50) + end, end}, "50 of 1500 ms ago"},
		{"nothing ended", []string{end, end}, "0 of 1500 ms ago"},
		{"long ago", []string{row("READ", -30, 7) + row("LAG", -29, 1), row("READ", -30, 7) + row("LAG", -29, 1)}, "7 of 31500 ms ago"},
		{"rows that may not all be there", []string{row("READ", 1, 7), row("READ", 1, 5)}, ""},
		{"a worker that has sent nothing", []string{row("READ", 0, 7) + end}, ""},
		{"a worker that has sent no rows", []string{row("READ", 0, 7) + end, "#[StartTime: 1]\n"}, ""},
		{"a line that is no row", []string{row("READ", 0, 7) + end, row("READ", 0, 5) + "Tag=DROP\n" + end}, ""},
		{"a histogram of another kind", []string{row("READ", 0, 7) + end, fmt.Sprintf("Tag=READ,%d,1,1,HISTFAAA\n", unix) + end}, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			f := folder{}
			for i, log := range c.logs {
				f[worker(i, bundle.Hlog)] = []byte("#[Histogram log format version 1.3]\n\"StartTimestamp\"\n" + log)
			}
			got := ""
			if told := f.at(t, begun(), 2500).Ended; told != nil {
				got = fmt.Sprintf("%d of %d ms ago", told.P99Micros, told.AgeMillis)
				if told.Response {
					got = "response " + got
				}
				if told.Errors > 0 {
					got += fmt.Sprintf(", %d errors", told.Errors)
				}
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Where the second begins before the part of the file that is read, some of its rows may be missing.
func TestWhatEndedInASecondThatIsNotReadWhollyIsNotKnown(t *testing.T) {
	text := []byte(logRow(t, "UPDATE", 100, 7) + logRow(t, "READ", 101, 8))
	for _, cut := range []bool{false, true} {
		log, ok := readLog(Tail{Text: text, Cut: cut})
		if !ok || log.newest != 100 || (log.first > log.newest) != cut {
			t.Errorf("cut %t: from %d to %d", cut, log.first, log.newest)
		}
	}
}

func BenchmarkTheP99OfAWorkersSecond(b *testing.B) {
	var file strings.Builder
	for second := range int64(8) {
		for _, tag := range []string{"READ", "Intended-READ", "Wait-READ", "UPDATE", "Intended-UPDATE", "Wait-UPDATE", "LAG"} {
			file.WriteString(logRow(b, tag, 1_700_000_000+second, upTo(3000)...))
		}
	}
	tail := []byte(file.String())
	b.SetBytes(int64(len(tail)))
	for b.Loop() {
		log, ok := readLog(Tail{Text: tail, Cut: true})
		all := newEnds()
		if err := log.merge(log.newest, all); !ok || err != nil || all.response.TotalCount() != 6000 {
			b.Fatal(ok, err, all.response.TotalCount())
		}
	}
}
