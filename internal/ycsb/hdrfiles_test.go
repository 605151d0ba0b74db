package ycsb

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Readers that go by rows, as most do, would take two rows of a second for two seconds.
func TestASecondHasOneRowWithThePartsOfOtherOperations(t *testing.T) {
	row := func(second int64, micros ...int64) []byte {
		h := newHistogram()
		for _, m := range micros {
			if err := h.RecordValue(m); err != nil {
				t.Fatal(err)
			}
		}
		text, err := h.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Appendf(nil, "%d.000,1.000,%.3f,%s", second, float64(h.Max())/1000, text)
	}
	path := filepath.Join(t.TempDir(), "READ.hdr")
	to, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &hdrFile{file: to}
	for _, one := range []struct {
		second int64
		micros []int64
	}{{7, []int64{100, 200}}, {7, []int64{3000}}, {8, []int64{50}}} {
		if err := f.add(one.second, row(one.second, one.micros...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if len(rows) != 2 || !bytes.Equal(rows[1], row(8, 50)) {
		t.Fatalf("%q", rows)
	}
	fields := bytes.Split(rows[0], []byte(","))
	sum, err := hdr.DecodePacked(fields[len(fields)-1])
	if err != nil || sum.TotalCount() != 3 || !bytes.HasPrefix(rows[0], []byte("7.000,1.000,3.0")) {
		t.Errorf("%v in %q, %v", sum, rows[0], err)
	}
}
