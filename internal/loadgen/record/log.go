package record

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Log writes intervals as rows of the two files.
type Log struct {
	hlog, bins io.Writer
	encoder    *encoder
	line       []byte
	from       int64     // where the next rows begin, in Unix nanoseconds
	sum        Histogram // of a row
}

// NewLog begins the files; bins is nil for a loader, which has none.
func NewLog(hlog, bins io.Writer, startUnixNanos int64) (*Log, error) {
	l := &Log{hlog: hlog, bins: bins, encoder: newEncoder(), from: startUnixNanos}
	start := time.Unix(0, startUnixNanos).UTC()
	_, err := fmt.Fprintf(hlog, "#[Histogram log format version 1.3]\n#[StartTime: %d.%03d (seconds since epoch), %s]\n%s\n%s\n",
		start.Unix(), start.Nanosecond()/1e6, start.Format(time.RFC3339),
		"#[values are in microseconds, Interval_Max in milliseconds]",
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

// Write appends the interval's rows. It ends at that time, at which the next one begins: a full
// second of the clock, but for the last one.
func (l *Log) Write(in *Interval, untilUnixNanos int64) error {
	length := max(untilUnixNanos-l.from, int64(time.Millisecond))
	if err := l.writeRows(in, length); err != nil {
		return fmt.Errorf("interval log: %w", err)
	}
	l.from += length
	if l.bins == nil {
		return nil
	}
	l.line = bundle.AppendBins(l.line[:0], in.Bins)
	if _, err := l.bins.Write(l.line); err != nil {
		return fmt.Errorf("bins: %w", err)
	}
	return nil
}

// writeRows writes one row for each tag, so that their times never fall.
func (l *Log) writeRows(in *Interval, length int64) (err error) {
	l.line = l.line[:0]
	in.eachTag(func(tag string, seconds []ofSecond) {
		if err == nil {
			l.line, err = l.appendRow(l.line, tag, seconds, length)
		}
	})
	if err == nil {
		_, err = l.hlog.Write(l.line)
	}
	return err
}

// appendRow appends the row of a tag, after a comment for each other second than its own.
func (l *Log) appendRow(dst []byte, tag string, seconds []ofSecond, length int64) (_ []byte, err error) {
	own := l.from / int64(time.Second)
	for _, s := range seconds {
		if s.unix != own {
			dst = append(dst, bundle.ElsewherePrefix...)
			if dst, err = l.appendFields(dst, tag, s.unix*1000, 1000, s.histogram); err != nil {
				return dst, err
			}
		}
	}
	millis := int64(time.Millisecond)
	return l.appendFields(dst, tag, l.from/millis, (length+millis/2)/millis, l.whole(seconds))
}

// whole is what there is of all seconds, until the next call.
func (l *Log) whole(seconds []ofSecond) *Histogram {
	if len(seconds) == 1 {
		return seconds[0].histogram
	}
	l.sum.clear()
	for _, s := range seconds {
		l.sum.add(s.histogram)
	}
	return &l.sum
}

// appendFields appends `Tag=READ,<begin>,<length>,<max in ms>,<histogram>`.
func (l *Log) appendFields(dst []byte, tag string, beginMillis, lengthMillis int64, h *Histogram) ([]byte, error) {
	dst = append(append(dst, "Tag="...), tag...)
	dst = appendThousandths(append(dst, ','), beginMillis)
	dst = appendThousandths(append(dst, ','), max(1, lengthMillis))
	dst = appendThousandths(append(dst, ','), h.Max())
	dst, err := l.encoder.append(append(dst, ','), h)
	return append(dst, '\n'), err
}

// appendThousandths appends n / 1000 with three decimals.
func appendThousandths(dst []byte, n int64) []byte {
	dst = append(strconv.AppendInt(dst, n/1000, 10), '.')
	n %= 1000
	return append(dst, '0'+byte(n/100), '0'+byte(n/10%10), '0'+byte(n%10))
}
