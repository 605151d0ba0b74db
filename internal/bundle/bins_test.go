package bundle

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func sampleBin() Bin {
	b := NewBin(42)
	b.Intended, b.Failed, b.Answered, b.Unknown, b.NeverStarted, b.Limited = 26, 2, 1, 3, 4, 5
	b.OK[0], b.OK[3], b.OK[LateBuckets-1] = 12, 1, 4
	b.FirstDoneMicros = 730
	b.Completed, b.FirstCompleteMicros, b.LastCompleteMicros = 9, 12, 9_981
	return b
}

func TestBinsComeBackAsTheyWereWritten(t *testing.T) {
	bins := []Bin{sampleBin(), NewBin(0), NewBin(MaxBinIndex)}
	file := AppendBinsHeader(nil, 1_700_000_000_123_456_789)
	for i := range bins {
		file = AppendBin(file, &bins[i])
	}
	want := "#kvbench-bins 2 start=1700000000123456789\n42,26,2,1,3,4,5,730,9,12,9981,0:12;3:1;71:4\n0,0,0,0,0,0,0,-1,0,-1,-1,\n"
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
	if len(got) != len(bins) {
		t.Fatalf("%d bins, want %d", len(got), len(bins))
	}
	for i := range bins {
		if got[i] != bins[i] {
			t.Errorf("bin %d = %+v, want %+v", i, got[i], bins[i])
		}
	}
}

func TestRowsOfOneBinAddUp(t *testing.T) {
	a, b := sampleBin(), sampleBin()
	b.FirstDoneMicros = 500
	b.FirstCompleteMicros, b.LastCompleteMicros = 100, 9_999
	sum := NewBin(42)
	empty := NewBin(42)
	sum.Add(&empty)
	sum.Add(&a)
	sum.Add(&b)
	sum.Add(&empty)
	if sum.Intended != 52 || sum.Failed != 4 || sum.Answered != 2 || sum.Unknown != 6 || sum.NeverStarted != 8 ||
		sum.Limited != 10 || sum.Succeeded() != 34 {
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
	head := "#kvbench-bins 2 start=5\n"
	for _, c := range []struct{ name, file, says string }{
		{"empty", "", "header"},
		{"another header", "#kvbench-bins 1 start=5\n", "does not begin"},
		{"no start", "#kvbench-bins 2 start=\n", "start"},
		{"cut off", head + "1,1,0,0,0,0,0,-1,0,-1,-1,0:1", "unexpected EOF"},
		{"too few fields", head + "1,1,0\n", "ends before failed"},
		{"negative index", head + "-1,1,0,0,0,0,0,-1,0,-1,-1,\n", "index"},
		{"index beyond a week", head + "99999999999,1,0,0,0,0,0,-1,0,-1,-1,\n", "index"},
		{"count that overflows", head + "1,9223372036854775807,0,0,0,0,0,-1,0,-1,-1,\n", "intended"},
		{"more answered than failed", head + "1,3,1,2,0,0,0,-1,0,-1,-1,\n", "answered"},
		{"completions of no time", head + "1,1,0,0,0,0,0,-1,2,-1,-1,\n", "completed"},
		{"completions that end before they begin", head + "1,1,0,0,0,0,0,-1,2,9,8,\n", "completed"},
		{"bucket beyond the last", head + "1,1,0,0,0,0,0,-1,0,-1,-1,72:1\n", "bucket"},
		{"bucket twice", head + "1,1,0,0,0,0,0,-1,0,-1,-1,3:1;3:1\n", "bucket"},
		{"no count", head + "1,1,0,0,0,0,0,-1,0,-1,-1,3\n", "bucket:count"},
		{"endless line", head + strings.Repeat("1", 1<<16) + "\n", "longer than"},
	} {
		_, err := ReadBins(strings.NewReader(c.file), func(*Bin) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.says)
		}
	}
}

func FuzzReadBins(f *testing.F) {
	bin := sampleBin()
	f.Add(AppendBin(AppendBinsHeader(nil, 7), &bin))
	f.Add([]byte("#kvbench-bins 2 start=5\n1,1,0,0,0,0,0,-1,0,-1,-1,0:1\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		var again []byte
		start, err := ReadBins(bytes.NewReader(file), func(b *Bin) error {
			again = AppendBin(again, b)
			return nil
		})
		if err != nil {
			return
		}
		// What was accepted means the same when it is written again.
		var third []byte
		_, err = ReadBins(bytes.NewReader(append(AppendBinsHeader(nil, start), again...)), func(b *Bin) error {
			third = AppendBin(third, b)
			return nil
		})
		if err != nil || !bytes.Equal(again, third) {
			t.Errorf("written again it reads differently: %v", err)
		}
	})
}
