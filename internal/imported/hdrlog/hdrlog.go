// Package hdrlog reads HdrHistogram's interval logs of other programs, such as YCSB's. A log comes from anywhere, so it is hostile
// input: its lines, its rows and the histograms' geometries are bounded.
package hdrlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/imported"
)

// Limits of a log.
const (
	maxLine  = 1 << 20
	maxRows  = 100_000
	maxNames = 8       // each has four series in a chart
	maxCount = 1 << 53 // numbers of JSON are exact up to it
)

// Log is what a log has.
type Log struct {
	// Unit is that of the values: "µs" where YCSB wrote the log, and else "", for a log doesn't tell.
	Unit string `json:"unit"`
	// Clock says what times are: of the clock ("unix"), or from the log's begin ("relative"), where the log doesn't tell when it began.
	Clock string `json:"clock"`
	// Names are in the order of the log.
	Names []Name `json:"names"`
	// Empty is how many rows have no values. They are in no list.
	Empty int `json:"empty"`
}

// Name is what the log has of one operation.
type Name struct {
	Name      string     `json:"name"`
	Intervals []Interval `json:"intervals"`
	// Whole has the values of all intervals.
	Whole Figures `json:"whole"`
}

// Interval is a row of the log.
type Interval struct {
	UnixMillis float64 `json:"unixMillis"` // its begin
	Figures
}

// Figures sum up a histogram. They are as exact as its buckets are narrow.
type Figures struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean"`
	P50   int64   `json:"p50"`
	P95   int64   `json:"p95"`
	P99   int64   `json:"p99"`
	Max   int64   `json:"max"`
}

// Is says that the content begins as a log does.
func Is(content []byte) bool {
	begin := content[:min(len(content), 1<<10)]
	return bytes.Contains(begin, []byte("#[Histogram log format version ")) || bytes.HasPrefix(begin, []byte(`"StartTimestamp"`))
}

// reading is what is known of a log up to a line.
type reading struct {
	log    Log
	times  times
	of     string // whose log it is, for rows without a tag
	merged []*hdr.PackedHistogram
	rows   int
}

// Read reads a log. The operation of rows without a tag is the one that YCSB's comment names, or else the given one.
func Read(content []byte, name string) (*Log, error) {
	r := &reading{of: name, log: Log{Names: []Name{}, Clock: "relative"}}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for number := 1; lines.Scan(); number++ {
		if err := r.line(strings.TrimRight(lines.Text(), "\r")); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(r.log.Names) == 0 {
		return nil, errors.New("it has no interval with values")
	}
	for i, h := range r.merged {
		r.log.Names[i].Whole = figuresOf(h)
	}
	return &r.log, nil
}

func (r *reading) line(text string) error {
	switch {
	case text == "" || text[0] == '"':
		return nil
	case text[0] == '#':
		if of, is := strings.CutPrefix(text, "#[Logging for: "); is {
			r.of, r.log.Unit = strings.TrimSuffix(of, "]"), "µs"
		}
		return r.times.comment(text)
	}
	row, err := parseRow(text)
	if err != nil {
		return err
	}
	if r.rows++; r.rows > maxRows {
		return fmt.Errorf("the log has more than %d intervals", maxRows)
	}
	h, err := decode(row.encoded)
	if err != nil {
		return err
	}
	if h.TotalCount() == 0 {
		r.log.Empty++
		return nil
	}
	seconds, known := r.times.begin(row.seconds)
	if known {
		r.log.Clock = "unix"
	}
	if row.tag == "" {
		row.tag = r.of
	}
	return r.add(row.tag, seconds*1000, h)
}

func (r *reading) add(name string, millis float64, h *hdr.PackedHistogram) error {
	at := slices.IndexFunc(r.log.Names, func(n Name) bool { return n.Name == name })
	if at < 0 {
		if err := imported.CheckName(name); err != nil {
			return fmt.Errorf("the name of an operation %w", err)
		}
		if len(r.log.Names) == maxNames {
			return fmt.Errorf("the log has more than %d operations", maxNames)
		}
		at = len(r.log.Names)
		r.log.Names = append(r.log.Names, Name{Name: name})
		r.merged = append(r.merged, hdr.NewPacked(h.LowestTrackableValue(), 1<<62, int(h.SignificantFigures())))
	}
	merged := r.merged[at]
	if merged.SignificantFigures() != h.SignificantFigures() || merged.LowestTrackableValue() != h.LowestTrackableValue() {
		return errors.New("the histogram has other buckets than those before it, so they can't be added")
	}
	if h.TotalCount() > maxCount-merged.TotalCount() {
		return fmt.Errorf("the log has more than %d values of %s", int64(maxCount), name)
	}
	if dropped := merged.Merge(h); dropped != 0 {
		return fmt.Errorf("%d values of the histogram can't be added to those before it", dropped)
	}
	n := &r.log.Names[at]
	n.Intervals = append(n.Intervals, Interval{UnixMillis: millis, Figures: figuresOf(h)})
	return nil
}

func figuresOf(h *hdr.PackedHistogram) Figures {
	of := h.ValueAtPercentilesSlice([]float64{50, 95, 99})
	return Figures{Count: h.TotalCount(), Mean: h.Mean(), P50: of[0], P95: of[1], P99: of[2], Max: h.Max()}
}
