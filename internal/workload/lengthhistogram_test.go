package workload

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/workload/propertyfile"
)

func TestFieldLengthsFollowTheFile(t *testing.T) {
	h, err := parseLengthHistogram([]byte("BlockSize\t10\n0\t1\n1\t0\n2\t3\r\n\n3\t6\n4\t0\n"), "hist.txt")
	if err != nil {
		t.Fatal(err)
	}
	if h.longest() != 40 {
		t.Errorf("longest is %d", h.longest())
	}
	rng := NewRand(1, "", 0)
	chiSquare(t, func() int64 {
		length := h.next(rng)
		if length%10 != 0 {
			t.Fatalf("drew %d", length)
		}
		return length/10 - 1
	}, []float64{0.1, 0, 0.3, 0.6})
}

func TestABrokenHistogramFileNamesFileAndLine(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"", "h: no bucket has a count"},
		{"BlockSize\t10\n0\t0", "h: no bucket has a count"},
		{"0\t1", "h:1: must be BlockSize"},
		{"BlockSize 10", "h:1: must be BlockSize"},
		{"BlockSize\t0", `h:1: the block size "0" must be`},
		{"BlockSize\t10\n0\t1\n2\t1", "h:3: must be the count of bucket 1"},
		{"BlockSize\t10\n0\t-1", `h:2: the count "-1" must be`},
		{"BlockSize\t10\n0", `h:2: the count "" must be`},
		{fmt.Sprintf("BlockSize\t%d\n0\t1\n1\t0\n2\t1", maxFieldLength), "h:4: bucket 2 is beyond"},
		{"BlockSize\t1\n" + strings.Repeat("x", 100_000), "h:2: "},
	} {
		_, err := parseLengthHistogram([]byte(c.file), "h")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.40q: error %v, want %s…", c.file, err, c.want)
		}
	}
}

func TestWhereAHistogramMayComeFrom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hist.txt")
	content := []byte("BlockSize\t10\n0\t1\n1\t1\n")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	long := make([]byte, propertyfile.MaxBytes+1)
	for _, c := range []struct {
		name   string
		source Source
		file   string
		want   string // of the error
	}{
		{"the command line names any file", FromCommandLine(), file, ""},
		{"that isn't there", FromCommandLine(), file + "x", "no such file"},
		{"a run names its own", FromRun(map[string][]byte{"sizes": content}), "sizes", ""},
		{"and no others", FromRun(map[string][]byte{"sizes": content}), file, "no such file; use one of sizes"},
		{"or none", FromRun(nil), file, "set fieldLengthHistogram of the workload instead"},
		{"or one that is too long", FromRun(map[string][]byte{"sizes": long}), "sizes", "longer than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, err := Parse(map[string]string{"fieldlengthdistribution": "histogram", "fieldlengthhistogram": c.file}, c.source)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want one with %q", err, c.want)
				}
				return
			}
			if err != nil || spec.FieldLength != 20 {
				t.Errorf("%+v, %v", spec, err)
			}
		})
	}
}

func FuzzParseLengthHistogram(f *testing.F) {
	f.Add([]byte("BlockSize\t10\n0\t1\n1\t0\n2\t3"))
	f.Add([]byte("BlockSize\t1000000\n0\t1099511627776\n1\t0\r\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := parseLengthHistogram(data, "h")
		if (h == nil) == (err == nil) {
			t.Fatalf("%v, %v", h, err)
		}
		if err != nil {
			return
		}
		if h.longest() > maxFieldLength || h.length(0) < 1 || len(h.below) > len(data) {
			t.Errorf("lengths from %d to %d", h.length(0), h.longest())
		}
		rng := NewRand(1, "", 0)
		for range 10 {
			if n := h.next(rng); n < h.length(0) || n > h.longest() || n%h.blockSize != 0 {
				t.Errorf("drew %d", n)
			}
		}
	})
}
