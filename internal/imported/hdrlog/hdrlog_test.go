package hdrlog

import (
	"fmt"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// encoded is a histogram of the values, as HdrHistogram's recorders for Java write it: its range grows with the values.
func encoded(t testing.TB, highest int64, digits int, values ...int64) string {
	t.Helper()
	h := hdr.NewPacked(1, highest, digits)
	for _, value := range values {
		if err := h.RecordValue(value); err != nil {
			t.Fatal(err)
		}
	}
	text, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const begin = "#[Logging for: READ]\n#[Histogram log format version 1.2]\n#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 08:24:39 PDT 2015]\n" +
	"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"

func TestALogOfYCSBIsRead(t *testing.T) {
	text := begin + fmt.Sprintf("0.000,1.000,0.001,%s\n1.000,1.000,0.000,%s\n2.000,1.000,5.000,%s\n",
		encoded(t, 2047, 3, 100, 200, 300), encoded(t, 2047, 3), encoded(t, 16_777_215, 3, 400, 5_000_000))
	if !Is([]byte(text)) {
		t.Error("it isn't taken for a log")
	}
	log, err := Read([]byte(text), "file")
	if err != nil {
		t.Fatal(err)
	}
	if log.Unit != "µs" || log.Clock != "unix" || log.Empty != 1 || len(log.Names) != 1 || log.Names[0].Name != "READ" {
		t.Fatalf("read is %+v", log)
	}
	n := log.Names[0]
	if len(n.Intervals) != 2 || n.Intervals[1].UnixMillis != 1_441_812_281_474 || n.Intervals[0].P50 != 200 || n.Intervals[0].Mean != 200 {
		t.Errorf("the intervals are %+v", n.Intervals)
	}
	// 5,000,000 is in a bucket of 4,096 values.
	if w := n.Whole; w.Count != 5 || w.P50 != 300 || w.Max < 5_000_000 || w.Max >= 5_004_096 {
		t.Errorf("in all they are %+v", w)
	}
}

func TestRowsHaveTagsAndAbsoluteTimes(t *testing.T) {
	text := "#[Histogram log format version 1.3]\n" +
		fmt.Sprintf("Tag=A,1700000000.5,1,0,%s\nTag=B,1700000000.5,1,0,%s\n", encoded(t, 2047, 2, 7), encoded(t, 1<<40, 2, 1000))
	log, err := Read([]byte(text), "file")
	if err != nil {
		t.Fatal(err)
	}
	if log.Unit != "" || log.Clock != "unix" || len(log.Names) != 2 || log.Names[1].Name != "B" || log.Names[0].Intervals[0].UnixMillis != 1_700_000_000_500 {
		t.Errorf("read is %+v", log)
	}
}

func TestWhatIsNoLogIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		begin: "no interval with values",
		begin + "0,1,0," + encoded(t, 2047, 5, 1) + "\n": "line 5: histogram: it has 5 digits",
		begin + "0,1,0,HISTFAAA\n":                       "line 5: histogram: too short",
		begin + "0,1,0\n":                                "line 5: it is not begin",
		begin + "x,1,0," + encoded(t, 2047, 3, 1) + "\n": `line 5: the begin "x"`,
		begin + "0,1,0," + encoded(t, 2047, 3, 1) + "\n1,1,0," + encoded(t, 2047, 2, 1) + "\n":         "line 6: the histogram has other buckets",
		strings.ReplaceAll(begin, "READ", "RE\x1bAD") + "0,1,0," + encoded(t, 2047, 3, 1):              "line 5: the name of an operation has characters",
		begin + "0,1,0," + encoded(t, 2047, 3, 1) + "\n0,1,0," + encoded(t, 2047, 3, 1)[:30]:           "line 6: histogram",
		begin + "Tag=" + strings.Repeat("n", 300) + ",0,1,0," + encoded(t, 2047, 3, 1):                 "is longer than 200",
		strings.Replace(begin, "1441812279.474", "99999999999", 1) + "0,1,0," + encoded(t, 2047, 3, 1): "line 3:",
	} {
		if log, err := Read([]byte(text), "file"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("of %.400q the error is %v and not %q, the log %+v", text, err, want, log)
		}
	}
}

// Whatever is read has intervals whose figures agree with one another and with those of the whole.
func FuzzRead(f *testing.F) {
	f.Add([]byte(begin + "0,1,0," + encoded(f, 2047, 3, 1, 5, 900) + "\n"))
	f.Add([]byte("#[Histogram log format version 1.3]\n#[BaseTime: 5]\nTag=A,1,1,0," + encoded(f, 1<<30, 1, 1<<29) + "\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		log, err := Read(content, "file")
		if err != nil {
			return
		}
		for _, n := range log.Names {
			count := int64(0)
			for _, in := range n.Intervals {
				count += in.Count
				if in.P50 > in.P95 || in.P95 > in.P99 || in.P99 > in.Max || in.Count <= 0 {
					t.Errorf("an interval has %+v", in)
				}
			}
			if count != n.Whole.Count {
				t.Errorf("%d values are in the intervals, and %d in all", count, n.Whole.Count)
			}
		}
	})
}
