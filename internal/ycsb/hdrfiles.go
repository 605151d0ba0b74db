package ycsb

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/stores"
)

// writeHdrFiles writes what YCSB's hdrhistogram.fileoutput=true does: for each measurement an
// interval log <path><name>.hdr, such as READ.hdr. Its rows are the intervals of status lines, or
// one is all of the time where there are none. Measurement types without an HdrHistogram have none.
func writeHdrFiles(r *run, f *figures, path string) (err error) {
	prefix, ok := hdrPrefixes[r.client.MeasurementType]
	if !ok {
		return nil
	}
	log := &hdrLog{path: path, prefix: prefix, start: r.measurementStart(), length: r.statusSeconds(), files: map[string]*hdrFile{}}
	defer func() { err = errors.Join(err, log.close()) }()
	end := log.start.Add(time.Duration(f.runtimeMillis) * time.Millisecond)
	err = eachSecond(r, func(second int64, rows map[rowOf]*hdr.PackedHistogram) error {
		if second < r.measuredFrom {
			return nil // of the warm-up
		}
		if err := log.reach(second); err != nil {
			return err
		}
		for of, h := range rows {
			for _, told := range intervals(r.client) {
				if of.response == (told.response && f.open) {
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
	if f.own != nil && f.own.cleanup.TotalCount() > 0 {
		for _, told := range intervals(r.client) {
			if err := log.add(told.prefix+cleanupMetric, f.own.cleanup); err != nil {
				return err
			}
		}
	}
	return log.write(end)
}

// hdrPrefixes stand before the names of the measurement types that have an HdrHistogram.
var hdrPrefixes = map[string]string{typeHdr: "", typeBoth: "Hdr", typeHdrRaw: "Hdr"}

// name is YCSB's of the measurement.
func (of rowOf) name() string {
	if of.outcome == stores.OK.String() {
		return of.operation
	}
	return of.operation + "-" + anyFailure
}

// measurementStart is when the first operation that counts could be sent.
func (r *run) measurementStart() time.Time {
	if r.Load {
		return r.began
	}
	return time.Unix(r.measuredFrom, 0)
}

// statusSeconds is how long an interval of status lines is; 0 where there are none.
func (r *run) statusSeconds() int64 {
	if !r.status {
		return 0
	}
	return max(1, int64(r.client.StatusInterval.Round(time.Second)/time.Second))
}

// hdrLog are the interval logs of a run. All have the same intervals.
type hdrLog struct {
	path, prefix string
	start        time.Time
	length       int64 // of an interval in seconds; 0 if there is one alone
	rows         []hdrInterval
	files        map[string]*hdrFile // by name
}

// hdrInterval is from a file's StartTime on, in seconds.
type hdrInterval struct{ begin, length float64 }

// hdrFile is one interval log.
type hdrFile struct {
	file *os.File
	to   *bufio.Writer
	now  *hdr.PackedHistogram // of the interval that is not yet written
}

// reach writes the intervals that are over when that second begins.
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

// add adds what was measured under that name in the interval that is not yet written.
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

// begin makes a file, with empty rows for the intervals before.
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

// write ends the interval in all files.
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

// write writes a row. Its maximum is a millionth of the histogram's, as YCSB leaves it.
func (f *hdrFile) write(in hdrInterval) error {
	text, err := f.now.Encode()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.to, "%.3f,%.3f,%.3f,%s\n", in.begin, in.length, float64(f.now.Max())/1e6, text)
	f.now.Reset()
	return err
}

// checkHdrPath says before anything is measured that writeHdrFiles will find no folder.
func checkHdrPath(path string) error {
	file, err := os.CreateTemp(filepath.Dir(path+"READ"), ".kvbench-")
	if err != nil {
		return Refuse("hdrhistogram.output.path=%s: %w", path, err)
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
