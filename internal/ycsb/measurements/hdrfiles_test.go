package measurements

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/workload"
)

// hdrFilesOf are the lines of each interval log of a run, by its name. In each row the number of values stands
// in place of the histogram.
func hdrFilesOf(t *testing.T, r *Recording, f *Figures, c *workload.Client, intervalSeconds int64) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	files := &HdrFiles{Path: filepath.Join(dir, "x-"), Start: time.Unix(r.MeasuredFrom, 0), IntervalSeconds: intervalSeconds}
	if err := files.Write(r, f, c); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			if i >= 4 {
				at := strings.LastIndex(line, ",")
				h, err := hdr.DecodePacked([]byte(line[at+1:]))
				if err != nil {
					t.Fatal(err)
				}
				line = line[:at+1] + formatValue(h.TotalCount())
			}
			all[entry.Name()] = append(all[entry.Name()], line)
		}
	}
	return all
}

func ranFor(millis int64, cleanups int64) *Figures {
	p := NewProcess()
	for range cleanups {
		p.SessionEnded(7 * time.Microsecond)
	}
	return &Figures{RuntimeMillis: millis, Open: true, Process: p}
}

// YCSB's OneMeasurementHdrHistogram writes rows whose times count from StartTime. The maximum of a row is in
// microseconds, divided by a million.
func TestTheHistogramFilesAreThoseOfYCSB(t *testing.T) {
	r := logged(t,
		"100 READ 10 5", "101 READ 10 2", "101 LAG 5 9", "101 Wait-READ 5 9", "102 READ 3000 1", "101 Part-READ 2000 1", "103 Intended-READ 40 1",
		"125 READ 10 1", "125 READ-FAILED 7 3", "125 READ-UNKNOWN 8 1")
	got := hdrFilesOf(t, r, ranFor(24_610, 2), clientOf(t, ""), 10)
	head := func(name string) string {
		return "#[Logging for: " + name + "]\n#[Histogram log format version 1.3]\n#[StartTime: 101.000 (seconds since epoch), " +
			time.Unix(101, 0).Format("Mon Jan 02 15:04:05 MST 2006") + "]\n" + `"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"` + "\n"
	}
	for name, want := range map[string]string{
		"READ":        "0.000,10.000,0.003,4\n10.000,10.000,0.000,0\n20.000,4.610,0.000,1",
		"READ-FAILED": "0.000,10.000,0.000,0\n10.000,10.000,0.000,0\n20.000,4.610,0.000,4",
		"CLEANUP":     "0.000,10.000,0.000,0\n10.000,10.000,0.000,0\n20.000,4.610,0.000,2",
	} {
		if text := strings.Join(got["x-"+name+".hdr"], "\n"); text != head(name)+want {
			t.Errorf("%s.hdr is\n%s\nwant\n%s", name, text, head(name)+want)
		}
	}
	if len(got) != 3 {
		t.Errorf("files: %v", got)
	}
}

func TestWithoutLinesOfStatusAHistogramFileHasOneRow(t *testing.T) {
	rows := []string{"101 READ 10 2", "160 READ 10 2", "170 Intended-READ 40 1"}
	for _, c := range []struct {
		properties string
		want       map[string]string // of each file, the last line
		lines      int
	}{
		{"", map[string]string{"x-READ.hdr": "0.000,69.900,0.000,4"}, 5},
		{"measurement.interval=intended", map[string]string{"x-READ.hdr": "0.000,69.900,0.000,1"}, 5},
		{"measurement.interval=both", map[string]string{"x-READ.hdr": "0.000,69.900,0.000,4", "x-Intended-READ.hdr": "0.000,69.900,0.000,1"}, 5},
		{"measurementtype=hdrhistogram+raw", map[string]string{"x-HdrREAD.hdr": "0.000,69.900,0.000,4"}, 5},
		{"measurementtype=timeseries", nil, 0},
		{"measurementtype=raw", nil, 0},
	} {
		got := hdrFilesOf(t, logged(t, rows...), ranFor(69_900, 0), clientOf(t, c.properties), 0)
		for name, want := range c.want {
			if lines := got[name]; len(lines) != c.lines || lines[len(lines)-1] != want {
				t.Errorf("%s: %s is %q, want %q at its end", c.properties, name, lines, want)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: files %v", c.properties, got)
		}
	}
}
