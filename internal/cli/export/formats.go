package export

import (
	"fmt"
	"slices"
	"strings"
)

// format is the value of --format. Without one it is "".
type format string

// Formats.
const (
	ycsbText   format = "ycsb"
	ycsbJSON   format = "ycsb-json"
	hdrLogs    format = "hdr"
	figuresCSV format = "csv"
	secondsCSV format = "csv-seconds"
)

var formats = []string{string(ycsbText), string(ycsbJSON), string(hdrLogs), string(figuresCSV), string(secondsCSV)}

func formatNames() string { return strings.Join(formats, ", ") }

// table says that the format has a column for the workload, so that one document has all of them.
func (f format) table() bool { return f == figuresCSV }

// bundled says that the format needs histograms. A report has none.
func (f format) bundled() bool { return f != figuresCSV }

// foreign says that the format is of another tool, and has a place for what that tool measures alone.
func (f format) foreign() bool { return f == ycsbText || f == ycsbJSON || f == hdrLogs }

// ycsb says that the format is YCSB's own: it has a throughput, and two outcomes.
func (f format) ycsb() bool { return f == ycsbText || f == ycsbJSON }

// ending of a file of the format.
func (f format) ending() string {
	switch f {
	case ycsbText:
		return ".txt"
	case ycsbJSON:
		return ".json"
	case hdrLogs:
		return ".hlog"
	}
	return ".csv"
}

func (f *format) String() string { return string(*f) }

// Type implements pflag.Value.
func (f *format) Type() string { return "format" }

// Set implements pflag.Value.
func (f *format) Set(value string) error {
	if !slices.Contains(formats, value) {
		return fmt.Errorf("it can be %s", formatNames())
	}
	*f = format(value)
	return nil
}
