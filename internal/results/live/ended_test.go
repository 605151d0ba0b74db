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
		{"service times are not decoded beside response times", []string{row("Intended-READ", 0, 70) + fmt.Sprintf("Tag=READ,%d,1,1,HISTFAAA\n", unix) + end, end}, "response 70 of 1500 ms ago"},
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

// A worker that was held up writes one row of all the seconds.
func TestWhatEndedInOneOfManySecondsIsNotKnown(t *testing.T) {
	unix := start.Unix()
	long := func(second int64, length string) string {
		return strings.Replace(logRow(t, "READ", unix+second, 9), ",1.000,", ","+length+",", 1)
	}
	row := func(second int64) string { return logRow(t, "READ", unix+second, 7) }
	for what, c := range map[string]struct {
		log   string
		known bool
	}{
		"a second":                                {row(0) + row(1), true},
		"less than a second":                      {long(0, "0.300") + row(1), true},
		"the begin of many seconds":               {long(0, "3.000") + row(1), false},
		"in the midst of many seconds":            {row(0) + long(1, "3.000") + row(4), false},
		"the end of many seconds":                 {long(0, "3.000") + row(3), false},
		"many seconds just before":                {long(0, "3.000") + row(3) + row(4), true},
		"many seconds of which there may be more": {row(0) + long(1, "3.000"), true},
		"no length":                               {long(0, "x") + row(1), false},
		"a length of no sense":                    {long(0, "NaN") + row(1), false},
	} {
		f := folder{worker(0, bundle.Hlog): []byte(c.log)}
		workload := begun()
		workload.Workers = 1
		if told := f.at(t, workload, 9000).Ended; (told != nil) != c.known || told != nil && told.P99Micros != 7 && what != "less than a second" {
			t.Errorf("%s: %+v", what, told)
		}
	}
}

func TestWhatEndedIsOfTheWorkersThatGoOn(t *testing.T) {
	row := func(second, micros int64) string { return logRow(t, "READ", start.Unix()+second, micros) }
	for _, c := range []struct {
		what     string
		logs     [2]string
		ended    [2]bool
		age, p99 int64 // at 9 s
	}{
		{"one has ended, and one goes on", [2]string{row(0, 3) + row(1, 3), row(0, 5) + row(4, 5) + row(5, 5)}, [2]bool{true}, 4000, 5},
		{"both go on", [2]string{row(0, 3) + row(1, 3), row(0, 5) + row(4, 5) + row(5, 5)}, [2]bool{}, 8000, 5},
		{"both have ended", [2]string{row(0, 3) + row(1, 3), row(0, 5) + row(4, 5) + row(5, 5)}, [2]bool{true, true}, 4000, 5},
	} {
		f := folder{}
		for i, log := range c.logs {
			name := worker(i, bundle.Hlog)
			f[name] = []byte(log)
			if c.ended[i] {
				f[bundle.EndFile(name)] = []byte("{}")
			}
		}
		if told := f.at(t, begun(), 9000).Ended; told == nil || told.AgeMillis != c.age || told.P99Micros != c.p99 {
			t.Errorf("%s: %+v", c.what, told)
		}
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
		told, err := endedIn(log.newest, []intervalLog{log})
		if !ok || err != nil || told == nil || !told.told.Response || told.told.P99Micros == 0 {
			b.Fatal(ok, err, told)
		}
	}
}
