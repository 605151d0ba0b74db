package measurements

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// rawLog is every operation of one measurement, for measurementtype=raw. It is kept on the disk, because the
// number of operations has no bound. The summary needs only how often each latency was seen.
type rawLog struct {
	file   *os.File
	rows   *bufio.Writer
	row    []byte
	micros map[int64]int64 // how often each latency was seen, in microseconds
	sum    float64
	total  int64
}

// add appends an operation's latency. atMillis is when the operation ended, in milliseconds of Unix time.
func (l *rawLog) add(atMillis, micros int64) error {
	if l.file == nil {
		if err := l.open(); err != nil {
			return fmt.Errorf("keep the operations of measurementtype=raw: %w", err)
		}
	}
	l.micros[micros]++
	l.sum += float64(micros)
	l.total++
	l.row = append(strconv.AppendInt(l.row[:0], atMillis, 10), ',')
	l.row = append(strconv.AppendInt(l.row, micros, 10), '\n')
	if _, err := l.rows.Write(l.row); err != nil {
		return fmt.Errorf("keep the operations of measurementtype=raw: %w", err)
	}
	return nil
}

// open creates the file, and removes its name. So the file ends with this process, however that ends.
func (l *rawLog) open() (err error) {
	l.file, err = os.CreateTemp("", "kvbench-raw-")
	if err != nil {
		return err
	}
	l.rows = bufio.NewWriterSize(l.file, 64<<10)
	return os.Remove(l.file.Name())
}

func (l *rawLog) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// print writes a header, and a row for each operation, as YCSB's OneMeasurementRaw does.
func (l *rawLog) print(to io.Writer, metric string) error {
	if l.file == nil {
		return nil
	}
	if err := l.rows.Flush(); err != nil {
		return err
	}
	if _, err := l.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out := bufio.NewWriterSize(to, 64<<10)
	fmt.Fprintf(out, "%s latency raw data: op, timestamp(ms), latency(us)\n", metric)
	rows := bufio.NewScanner(l.file)
	for rows.Scan() {
		fmt.Fprintf(out, "%s,%s\n", metric, rows.Bytes())
	}
	return errors.Join(rows.Err(), out.Flush())
}

// summaryShares are the percentiles in YCSB's summary of raw operations.
var summaryShares = []struct {
	name  string
	share float64
}{{"p1", 0.01}, {"p5", 0.05}, {"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}}

// entries are the lines of YCSB's summary. They are exact to the microsecond.
func (l *rawLog) entries(metric string, alone bool, codes []entry) []entry {
	list := []entry{{metric, "Total Operations", l.total}}
	if l.total > 0 && !alone {
		values := slices.Sorted(maps.Keys(l.micros))
		list = append(list,
			entry{metric, "Below is a summary of latency in microseconds:", int64(-1)},
			entry{metric, "Average", l.sum / float64(l.total)},
			entry{metric, "Min", values[0]},
			entry{metric, "Max", values[len(values)-1]})
		for _, p := range summaryShares {
			list = append(list, entry{metric, p.name, l.at(values, int64(float64(l.total)*p.share))})
		}
	}
	return append(list, named(metric, codes)...)
}

// at is the latency at this index, from 0, when all are in ascending order.
func (l *rawLog) at(values []int64, index int64) int64 {
	for _, value := range values {
		if index -= l.micros[value]; index < 0 {
			return value
		}
	}
	return values[len(values)-1]
}

// PrintRaw prints every operation, one measurement after the other, as measurementtype=raw does.
func (f *Figures) PrintRaw(c *workload.Client, to io.Writer) (err error) {
	prefix := ""
	if c.MeasurementType == typeHdrRaw {
		prefix = "Raw"
	}
	for _, told := range intervals(c) {
		all := []Latencies{}
		for kind := range stores.NumKinds {
			all = append(all, f.told(kind, told.response && f.Open)...)
		}
		for _, of := range append(all, Latencies{Operation: cleanupMetric}) {
			err = cmp.Or(err, f.Samples.rawOf(of).print(to, prefix+told.prefix+of.name()))
		}
	}
	return err
}
