package measurements

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// HdrFiles are the interval logs that YCSB writes with hdrhistogram.fileoutput=true. Each measurement has a
// file, whose name is Path, the measurement's name and .hdr.
type HdrFiles struct {
	Path  string
	Start time.Time // when the first operation that counts could be sent
	// IntervalSeconds is how long a row is. 0 means one row for all of the time.
	IntervalSeconds int64
}

// Write writes the files. It writes none for a measurement type that has no HdrHistogram.
func (files *HdrFiles) Write(r *Recording, f *Figures, c *workload.Client) (err error) {
	prefix, ok := hdrPrefixes[c.MeasurementType]
	if !ok {
		return nil
	}
	log := &hdrLog{path: files.Path, prefix: prefix, start: files.Start, length: files.IntervalSeconds, files: map[string]*hdrFile{}}
	defer func() { err = errors.Join(err, log.close()) }()
	end := log.start.Add(time.Duration(f.RuntimeMillis) * time.Millisecond)
	err = r.eachSecond(func(second int64, rows map[row]*hdr.PackedHistogram) error {
		if r.phase(second) != report.PhaseMeasurement {
			return nil
		}
		if err := log.reach(second); err != nil {
			return err
		}
		for of, h := range rows {
			for _, told := range intervals(c) {
				if of.response == (told.response && f.Open) {
					if err := log.add(told.prefix+of.name(), h); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if f.Process != nil && f.Process.cleanup.TotalCount() > 0 {
		for _, told := range intervals(c) {
			if err := log.add(told.prefix+cleanupMetric, f.Process.cleanup); err != nil {
				return err
			}
		}
	}
	return log.write(end)
}

// hdrPrefixes has the measurement types that have an HdrHistogram, and what stands before the names of
// their measurements.
var hdrPrefixes = map[string]string{typeHdr: "", typeBoth: "Hdr", typeHdrRaw: "Hdr"}

// name is the measurement's name in YCSB.
func (of row) name() string {
	if of.outcome == stores.OK.String() {
		return of.operation
	}
	return of.operation + "-" + anyFailure
}

// hdrLog is the interval logs of a run. All of them have the same intervals.
type hdrLog struct {
	path, prefix string
	start        time.Time
	length       int64 // of an interval, in seconds; 0 if there is only one interval
	rows         []hdrInterval
	files        map[string]*hdrFile // by name
}

// hdrInterval is one row's interval. It counts from a file's StartTime, in seconds.
type hdrInterval struct{ begin, length float64 }

// hdrFile is one interval log.
type hdrFile struct {
	file *os.File
	to   *bufio.Writer
	now  *hdr.PackedHistogram // of the interval that isn't written yet
}

// reach writes the intervals that are over when this second begins.
func (l *hdrLog) reach(second int64) error {
	if l.length == 0 {
		return nil
	}
	for {
		end := l.start.Truncate(time.Second).Add(time.Duration(l.length*int64(len(l.rows)+1)) * time.Second)
		if second < end.Unix() {
			return nil
		}
		if err := l.write(end); err != nil {
			return err
		}
	}
}

// add adds what was measured under this name to the interval that isn't written yet.
func (l *hdrLog) add(name string, h *hdr.PackedHistogram) (err error) {
	file := l.files[name]
	if file == nil {
		if file, err = l.begin(name); err != nil {
			return err
		}
		l.files[name] = file
	}
	return histogram.Merge(file.now, h)
}

// begin creates a file. The intervals that are over have empty rows in it.
func (l *hdrLog) begin(name string) (*hdrFile, error) {
	to, err := os.Create(l.path + l.prefix + name + ".hdr")
	if err != nil {
		return nil, err
	}
	file := &hdrFile{file: to, to: bufio.NewWriter(to), now: histogram.New()}
	fmt.Fprintf(file.to, "#[Logging for: %s]\n#[Histogram log format version 1.3]\n#[StartTime: %.3f (seconds since epoch), %s]\n%s\n",
		l.prefix+name, float64(l.start.UnixMilli())/1000, l.start.Format("Mon Jan 02 15:04:05 MST 2006"),
		`"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"`)
	for _, in := range l.rows {
		if err := file.write(in); err != nil {
			return nil, errors.Join(err, to.Close())
		}
	}
	return file, nil
}

// write ends the interval, and writes its row to all files.
func (l *hdrLog) write(end time.Time) error {
	var begin float64
	if n := len(l.rows); n > 0 {
		begin = l.rows[n-1].begin + l.rows[n-1].length
	}
	in := hdrInterval{begin, max(0.001, end.Sub(l.start).Seconds()-begin)}
	for _, file := range l.files {
		if err := file.write(in); err != nil {
			return err
		}
	}
	l.rows = append(l.rows, in)
	return nil
}

func (l *hdrLog) close() (err error) {
	for _, file := range l.files {
		err = errors.Join(err, file.to.Flush(), file.file.Close())
	}
	return err
}

// write writes a row. Its maximum is the histogram's divided by a million, as it is in YCSB's files.
func (f *hdrFile) write(in hdrInterval) error {
	text, err := f.now.Encode()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.to, "%.3f,%.3f,%.3f,%s\n", in.begin, in.length, float64(f.now.Max())/1e6, text)
	f.now.Reset()
	return err
}
