package measurements

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stores"
)

// WriteTagged writes the measurement as one interval log in HdrHistogram's format 1.3. Each second has a row for each
// operation, outcome and time, with the tags that the logs of a bundle have: READ, READ-FAILED, Intended-READ. A row has
// what was intended in its second. Values are in microseconds. The comments are lines at the begin, for people: readers
// of interval logs leave them out.
func (r *Recording) WriteTagged(to io.Writer, comments ...string) error {
	out := bufio.NewWriter(to) // keeps the first error until the end
	for _, comment := range comments {
		fmt.Fprintf(out, "#[%s]\n", comment)
	}
	begin := time.Unix(r.MeasuredFrom, 0).UTC()
	// Readers differ in how they guess whether times are absolute. With a base time nobody has to guess.
	fmt.Fprintf(out, "#[Histogram log format version 1.3]\n#[BaseTime: %d.000 (seconds since epoch)]\n#[StartTime: %d.000 (seconds since epoch), %s]\n%s\n%s\n",
		r.MeasuredFrom, r.MeasuredFrom, begin.Format(time.RFC3339),
		"#[values are in microseconds, Interval_Max in milliseconds]",
		`"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"`)
	err := r.eachSecond(func(second int64, rows map[row]*hdr.PackedHistogram) error {
		if r.phase(second) != report.PhaseMeasurement {
			return nil
		}
		for _, of := range slices.SortedFunc(maps.Keys(rows), compareRows) {
			text, err := rows[of].Encode()
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "Tag=%s,%d.000,1.000,%.3f,%s\n", of.tag(), second-r.MeasuredFrom, float64(rows[of].Max())/1000, text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// tag of the row in a bundle's logs. The parts of other operations are among those of their kind.
func (of row) tag() string {
	tag := of.operation
	switch of.outcome {
	case stores.Failed.String():
		tag += bundle.FailedSuffix
	case stores.Unknown.String():
		tag += bundle.UnknownSuffix
	}
	if of.response {
		return bundle.IntendedPrefix + tag
	}
	return tag
}
