package measurements

import (
	"bufio"
	"encoding/json"
	"fmt"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/stores"
)

// Latencies tells the histograms of a measurement apart. YCSB knows two outcomes: an operation that may have
// taken effect counts as one that failed.
type Latencies struct {
	Operation string
	Status    string // "" for successes; for failures anyFailure, or a status that has its own latencies
	Response  bool   // from the intended start; else from the send
}

// anyFailure is the status of all failures that are not told apart by their own status.
const anyFailure = "FAILED"

// name is the measurement's name in YCSB.
func (l Latencies) name() string {
	if l.Status == "" {
		return l.Operation
	}
	return l.Operation + "-" + l.Status
}

// Totals is what the workers' files add up to over the measurement.
type Totals struct {
	Histograms map[Latencies]*hdr.PackedHistogram
	Lag        *hdr.PackedHistogram // of the sends of all operations, in an open loop
	Errors     []bundle.ErrorSeen   // by operation and code, the warm-up's included
	Counted    []bundle.ErrorSeen   // by operation and code, without those of the warm-up
	Unset      int64                // records that a read missed and that could not be set, the warm-up's included
	Finish     *bundle.Finish       // of the last worker; nil if none got to its end
}

// Totals reads the files as far as they were written. Its error names the file.
func (r *Recording) Totals() (*Totals, error) {
	t := &Totals{Histograms: map[Latencies]*hdr.PackedHistogram{}, Lag: histogram.New()}
	for _, writer := range r.Writers {
		for in, err := range r.intervals(writer) {
			if err == nil {
				err = t.addInterval(in, r.phase(in.UnixSeconds))
			}
			if err != nil {
				return nil, err
			}
		}
		if err := t.readLines(r, writer.File(bundle.Jsonl)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// addInterval adds what was intended in a second of the phase.
func (t *Totals) addInterval(in hlog.Interval, phase string) error {
	if in.Part && !in.Response && in.Operation == stores.Insert.String() && in.Outcome != stores.OK.String() {
		t.Unset += in.Histogram.TotalCount()
	}
	if phase != report.PhaseMeasurement {
		return nil
	}
	if in.Lag {
		return histogram.Merge(t.Lag, in.Histogram)
	}
	of := Latencies{Operation: in.Operation, Response: in.Response}
	if in.Outcome != stores.OK.String() {
		of.Status = anyFailure
	}
	return t.add(of, in.Histogram)
}

func (t *Totals) add(of Latencies, h *hdr.PackedHistogram) error {
	sum := t.Histograms[of]
	if sum == nil {
		sum = histogram.New()
		t.Histograms[of] = sum
	}
	return histogram.Merge(sum, h)
}

// readLines adds up what the worker says of itself. The errors of a second count to the phase that the
// second's middle lies in.
func (t *Totals) readLines(r *Recording, name string) error {
	file, err := r.Files.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	var middle int64 // of the last second: its end may be a moment later than the clock's
	for lines.Scan() {
		var line bundle.SelfLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if line.Second != nil {
			middle = line.AtUnixNanos - line.Second.LengthMicros*1000/2
		}
		for _, e := range line.Errors {
			t.Errors = addError(t.Errors, e)
			if r.phase(middle/int64(time.Second)) == report.PhaseMeasurement {
				t.Counted = addError(t.Counted, e)
			}
		}
		if line.Finish != nil {
			t.Finish = line.Finish
		}
	}
	return lines.Err()
}

func addError(all []bundle.ErrorSeen, seen bundle.ErrorSeen) []bundle.ErrorSeen {
	for i := range all {
		if known := &all[i]; known.Operation == seen.Operation && known.Code == seen.Code && known.Outcome == seen.Outcome {
			known.Count += seen.Count
			return all
		}
	}
	return append(all, seen)
}

// Failed is how many operations of this kind failed.
func (t *Totals) Failed(operation string) int64 { return t.count(operation, anyFailure) }

// count is how many operations of this kind have this status.
func (t *Totals) count(operation, status string) int64 {
	h := t.Histograms[Latencies{Operation: operation, Status: status}]
	if h == nil {
		return 0
	}
	return h.TotalCount()
}

// CountOperations is how many operations there are, of any kind and outcome. A read-modify-write counts once.
func (t *Totals) CountOperations() (n int64) {
	for of, h := range t.Histograms {
		switch {
		case of.Response:
		case of.Operation != stores.ReadModifyWrite.String():
			n += h.TotalCount()
		case of.Status != "":
			// The read or the update that failed counts for it. If the update failed, the read
			// counts too, so the sum is one too many.
		default:
			n -= h.TotalCount()
		}
	}
	return n
}
