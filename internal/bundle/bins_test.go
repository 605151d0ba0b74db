package bundle

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

// sampleBins are a bin as a whole and two of its series.
func sampleBins() []Bin {
	whole := NewBin(42)
	whole.Intended, whole.NeverStarted, whole.Limited = 26, 4, 5
	whole.Completed, whole.FirstCompleteMicros, whole.LastCompleteMicros = 9, 12, 9_981
	reads := NewSeriesBin(42, SeriesOf(stores.Read, 3))
	reads.OK[0], reads.FirstDoneMicros = 4, 730
	deletes := NewSeriesBin(42, SeriesOf(stores.Delete, stores.MaxShards))
	deletes.Failed, deletes.Answered, deletes.Unknown = 2, 1, 3
	deletes.OK[3], deletes.OK[LateBuckets-1] = 1, 4
	return []Bin{whole, reads, deletes}
}

func TestBinsComeBackAsTheyWereWritten(t *testing.T) {
	bins := append(sampleBins(), NewBin(43), NewSeriesBin(43, SeriesOf(stores.Scan, 0)), NewBin(MaxBinIndex))
	file := AppendBins(AppendBinsHeader(nil, 1_700_000_000_123_456_789), bins)
	want := "#kvbench-bins 3 start=1700000000123456789\n42,26,4,5,9,12,9981,R3:4@730,D9:0;f2;a1;u3;3:1;71:4\n43,0,0,0,0,-1,-1,S0:0\n"
	if !strings.HasPrefix(string(file), want) {
		t.Errorf("file begins %q, want %q", file, want)
	}
	var got []Bin
	start, err := ReadBins(bytes.NewReader(file), func(b *Bin) error { got = append(got, *b); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if start != 1_700_000_000_123_456_789 {
		t.Errorf("start = %d", start)
	}
	if !slices.Equal(got, bins) {
		t.Errorf("bins = %+v, want %+v", got, bins)
	}
}

func TestASeriesIsItsKindAndItsShard(t *testing.T) {
	seen := map[Series]bool{0: true} // a bin as a whole
	for kind := range stores.NumKinds {
		for shard := range uint8(stores.MaxShards + 1) {
			s := SeriesOf(kind, shard)
			if s.Kind() != kind || s.Shard() != shard || seen[s] || s >= NumSeries {
				t.Errorf("%s on shard %d is %d: %s on %d", kind, shard, s, s.Kind(), s.Shard())
			}
			seen[s] = true
		}
	}
}

func TestRowsOfOneBinAddUp(t *testing.T) {
	again := sampleBins()
	again[1].FirstDoneMicros = 500
	again[0].FirstCompleteMicros, again[0].LastCompleteMicros = 100, 9_999
	sum := NewBin(42)
	for _, b := range slices.Concat([]Bin{NewBin(42)}, sampleBins(), again, []Bin{NewBin(42)}) {
		sum.Add(&b)
	}
	if sum.Intended != 52 || sum.Failed != 4 || sum.Answered != 2 || sum.Unknown != 6 || sum.NeverStarted != 8 ||
		sum.Limited != 10 || sum.Succeeded() != 18 || sum.Ended() != 28 {
		t.Errorf("counts: %+v", sum)
	}
	if sum.FirstDoneMicros != 500 || sum.Completed != 18 || sum.FirstCompleteMicros != 12 || sum.LastCompleteMicros != 9_999 {
		t.Errorf("instants: first done %d, completed %d from %d to %d",
			sum.FirstDoneMicros, sum.Completed, sum.FirstCompleteMicros, sum.LastCompleteMicros)
	}
}

func TestLateBucketsGrowByATenthAndTheLastIsOpen(t *testing.T) {
	for _, c := range []struct {
		micros int64
		bucket int
	}{
		{0, 0}, {LateBaseMicros, 0}, {LateBaseMicros + 1, 1}, {110_000, 1}, {110_001, 2},
		{HistogramMaxMicros, LateBuckets - 1}, {math.MaxInt64, LateBuckets - 1},
	} {
		if got := LateBucket(c.micros); got != c.bucket {
			t.Errorf("LateBucket(%d) = %d, want %d", c.micros, got, c.bucket)
		}
	}
	for i := 1; i < LateBuckets-1; i++ {
		growth := float64(LateBound(i)) / float64(LateBound(i-1))
		if growth < 1.0999 || growth > 1.1001 {
			t.Errorf("bucket %d is %.5f times as wide as the one before", i, growth)
		}
	}
}

func TestABrokenBinsFileIsRefused(t *testing.T) {
	head := "#kvbench-bins 3 start=5\n"
	for _, c := range []struct{ name, file, says string }{
		{"empty", "", "header"},
		{"another header", "#kvbench-bins 1 start=5\n", "does not begin"},
		{"no start", "#kvbench-bins 3 start=\n", "start"},
		{"cut off", head + "1,1,0,0,0,-1,-1,R0:1", "unexpected EOF"},
		{"too few fields", head + "1,1,0\n", "ends before limited"},
		{"negative index", head + "-1,1,0,0,0,-1,-1\n", "index"},
		{"index beyond a week", head + "99999999999,1,0,0,0,-1,-1\n", "index"},
		{"count that overflows", head + "1,9223372036854775807,0,0,0,-1,-1\n", "intended"},
		{"completions of no time", head + "1,1,0,0,2,-1,-1\n", "completed"},
		{"completions that end before they begin", head + "1,1,0,0,2,9,8\n", "completed"},
		{"an empty series", head + "1,1,0,0,0,-1,-1,\n", "is not kind"},
		{"a kind that there isn't", head + "1,1,0,0,0,-1,-1,X0:1\n", "no such kind"},
		{"a shard that there isn't", head + "1,1,0,0,0,-1,-1,R/:1\n", "no such kind or shard"},
		{"a series twice", head + "1,1,0,0,0,-1,-1,R1:1,R1:1\n", "out of order"},
		{"more answered than failed", head + "1,3,0,0,0,-1,-1,R0:0;f1;a2\n", "answered"},
		{"a first answer before the bin", head + "1,3,0,0,0,-1,-1,R0:1@-2\n", "first answer"},
		{"bucket beyond the last", head + "1,1,0,0,0,-1,-1,R0:0;72:1\n", "bucket"},
		{"bucket twice", head + "1,1,0,0,0,-1,-1,R0:0;3:1;3:1\n", "out of order"},
		{"the first bucket again", head + "1,1,0,0,0,-1,-1,R0:0;0:1\n", "bucket"},
		{"no count", head + "1,1,0,0,0,-1,-1,R0:0;3\n", "bucket:count"},
		{"an empty item", head + "1,1,0,0,0,-1,-1,R0:0;\n", "bucket:count"},
		{"endless line", head + strings.Repeat("1", 1<<17) + "\n", "longer than"},
	} {
		_, err := ReadBins(strings.NewReader(c.file), func(*Bin) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.says)
		}
	}
}

// appendRows begins a row with each bin as a whole: rows of one index may follow each other.
func appendRows(dst []byte, bins []Bin) []byte {
	for from := 0; from < len(bins); {
		to := from + 1
		for to < len(bins) && bins[to].Series != 0 {
			to++
		}
		dst = AppendBins(dst, bins[from:to])
		from = to
	}
	return dst
}

func FuzzReadBins(f *testing.F) {
	f.Add(AppendBins(AppendBinsHeader(nil, 7), sampleBins()))
	f.Add([]byte("#kvbench-bins 3 start=5\n1,1,0,0,0,-1,-1,R0:1@5;3:1\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		var again, third []Bin
		start, err := ReadBins(bytes.NewReader(file), func(b *Bin) error {
			again = append(again, *b)
			return nil
		})
		if err != nil {
			return
		}
		// What was accepted means the same when it is written again.
		_, err = ReadBins(bytes.NewReader(appendRows(AppendBinsHeader(nil, start), again)), func(b *Bin) error {
			third = append(third, *b)
			return nil
		})
		if err != nil || !slices.Equal(again, third) {
			t.Errorf("written again it reads differently: %v", err)
		}
	})
}
