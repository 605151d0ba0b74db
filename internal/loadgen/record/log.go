package record

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// Log writes intervals as rows of the two files.
type Log struct {
	hlog, bins io.Writer
	encoder    *encoder
	line       []byte
}

// NewLog begins the files; bins is nil for a loader, which has none.
func NewLog(hlog, bins io.Writer, startUnixNanos int64) (*Log, error) {
	l := &Log{hlog: hlog, bins: bins, encoder: newEncoder()}
	start := time.Unix(0, startUnixNanos).UTC()
	_, err := fmt.Fprintf(hlog, "#[Histogram log format version 1.3]\n#[StartTime: %d.%03d (seconds since epoch), %s]\n%s\n",
		start.Unix(), start.Nanosecond()/1e6, start.Format(time.RFC3339),
		`"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"`)
	if err != nil {
		return nil, fmt.Errorf("begin the interval log: %w", err)
	}
	if bins == nil {
		return l, nil
	}
	if _, err := bins.Write(bundle.AppendBinsHeader(nil, startUnixNanos)); err != nil {
		return nil, fmt.Errorf("begin the bins: %w", err)
	}
	return l, nil
}

// Write appends the interval's rows.
func (l *Log) Write(in *Interval) error {
	var err error
	l.line = l.line[:0]
	row := func(prefix string, unix int64, kind stores.Kind, outcome stores.Outcome, h *Histogram) {
		if err == nil {
			l.line = append(append(l.line, "Tag="...), prefix...)
			l.line = append(append(l.line, kind.String()...), suffixes[outcome]...)
			l.line, err = l.appendRow(l.line, unix, h)
		}
	}
	in.Each(func(of Row, h *Histogram) {
		prefix := ""
		if of.Response {
			prefix = bundle.IntendedPrefix
		}
		if of.Part {
			prefix += bundle.PartPrefix
		}
		row(prefix, of.Unix, of.Kind, of.Outcome, h)
	})
	in.EachWait(func(unix int64, kind stores.Kind, outcome stores.Outcome, h *Histogram) {
		row(bundle.WaitPrefix, unix, kind, outcome, h)
	})
	in.EachLag(func(unix int64, h *Histogram) {
		if err == nil {
			l.line = append(l.line, "Tag="+bundle.LagTag...)
			l.line, err = l.appendRow(l.line, unix, h)
		}
	})
	if err != nil {
		return fmt.Errorf("interval log: %w", err)
	}
	if _, err := l.hlog.Write(l.line); err != nil {
		return fmt.Errorf("interval log: %w", err)
	}
	if l.bins == nil {
		return nil
	}
	l.line = bundle.AppendBins(l.line[:0], in.Bins)
	if _, err := l.bins.Write(l.line); err != nil {
		return fmt.Errorf("bins: %w", err)
	}
	return nil
}

var suffixes = [stores.NumOutcomes]string{stores.Failed: bundle.FailedSuffix, stores.Unknown: bundle.UnknownSuffix}

// appendRow appends, after `Tag=READ`, `,<start>,<length>,<max in ms>,<histogram>`.
func (l *Log) appendRow(dst []byte, unix int64, h *Histogram) ([]byte, error) {
	dst = append(dst, ',')
	dst = strconv.AppendInt(dst, unix, 10)
	dst = append(dst, ".000,1.000,"...)
	dst = strconv.AppendFloat(dst, float64(h.Max())/1000, 'f', 3, 64)
	dst = append(dst, ',')
	dst, err := l.encoder.append(dst, h)
	return append(dst, '\n'), err
}
