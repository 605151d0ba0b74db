package charts

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/stores"
)

// column names the histograms that are merged: the successes of one kind in one step, or those of all kinds that the
// heat map shows.
type column struct {
	step     int32
	kind     string // "" for the heat map
	response bool
}

// latencies fills what the interval logs tell by step. They are read twice: to count the rows of each histogram, and to
// merge them. So a histogram is given up as soon as its last row was read.
type latencies struct {
	steps  *steps
	open   bool // the loop, in which successes by second are response times
	rows   map[column]int32
	sums   histogram.Sums[column]
	byKind map[string]*Operation
	heat   *Heat
}

func readLatencies(fsys fs.FS, m *read.Measured, s *steps, out *Workload) error {
	l := &latencies{
		steps: s, open: m.Latencies.OfResponses, rows: map[column]int32{}, byKind: map[string]*Operation{},
		heat: &Heat{Time: ServiceTime, Bounds: histogram.BandBounds(), Columns: make([][]int64, s.n)},
	}
	if l.open {
		l.heat.Time = ResponseTime
	}
	logs, closeLogs, err := openLogs(fsys, m)
	if err != nil {
		return err
	}
	for _, log := range logs {
		if err := l.count(hlog.NewReader(log.Content)); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", log.Name, err), closeLogs())
		}
	}
	if err := closeLogs(); err != nil {
		return err
	}
	logs, closeLogs, err = openLogs(fsys, m)
	if err != nil {
		return err
	}
	wanted := func(row hlog.Row) bool { return len(l.columns(row)) > 0 }
	err = hlog.SideBySide(logs, wanted, func(row hlog.Row, h *hdr.PackedHistogram) error { return l.merge(l.columns(row), h) })
	if err := errors.Join(err, closeLogs()); err != nil {
		return err
	}
	out.Heat, out.Operations = *l.heat, []Operation{}
	for kind := range stores.NumKinds {
		if op := l.byKind[kind.String()]; op != nil {
			out.Operations = append(out.Operations, *op)
		}
	}
	return nil
}

// openLogs opens those of all workers.
func openLogs(fsys fs.FS, m *read.Measured) (logs []hlog.Log, closeAll func() error, err error) {
	var files []fs.File
	closeAll = func() (err error) {
		for _, file := range files {
			err = errors.Join(err, file.Close())
		}
		return err
	}
	for _, worker := range m.Workers {
		name := worker.Writer.File(bundle.Hlog)
		file, err := fsys.Open(name)
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("reading %s: %w", name, err), closeAll())
		}
		files, logs = append(files, file), append(logs, hlog.Log{Name: name, Content: file})
	}
	return logs, closeAll, nil
}

// columns are those that a row is a part of.
func (l *latencies) columns(row hlog.Row) []column {
	if row.Lag || row.Outcome != stores.OK.String() || row.Time == hlog.WaitTime {
		return nil
	}
	second := l.steps.clock.SecondOf(row.At)
	step, ok := l.steps.of(second)
	if !ok || !l.steps.clock.Records(second) {
		return nil
	}
	response := row.Time == hlog.ResponseTime
	listed := []column{{int32(step), row.Operation, response}}
	if !row.Part && response == l.open {
		listed = append(listed, column{step: int32(step), response: response})
	}
	return listed
}

// count counts a log's rows of each histogram.
func (l *latencies) count(log *hlog.Reader) error {
	for {
		row, err := log.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, c := range l.columns(row) {
			l.rows[c]++
		}
	}
}

func (l *latencies) merge(columns []column, h *hdr.PackedHistogram) error {
	for i, c := range columns {
		own := h
		if i > 0 { // the sum before has taken it
			own = histogram.New()
			if err := histogram.Merge(own, h); err != nil {
				return err
			}
		}
		if err := l.sums.Add(c, own); err != nil {
			return err
		}
	}
	for _, c := range columns {
		if l.rows[c]--; l.rows[c] == 0 {
			delete(l.rows, c)
			l.close(c, l.sums.Close(c))
		}
	}
	return nil
}

// close takes a histogram that is complete.
func (l *latencies) close(c column, h *hdr.PackedHistogram) {
	if h.TotalCount() == 0 {
		return
	}
	if c.kind == "" {
		l.heat.Columns[c.step] = histogram.Bands(h, l.heat.Bounds)
		return
	}
	op := l.byKind[c.kind]
	if op == nil {
		op = &Operation{Operation: c.kind, Count: make([]int64, l.steps.n)}
		l.byKind[c.kind] = op
	}
	to := &op.Service
	if c.response {
		to = &op.Response
	} else {
		op.Count[c.step] = h.TotalCount()
	}
	if *to == nil {
		*to = newPercentiles(l.steps.n)
	}
	(*to).set(int(c.step), h)
}

func newPercentiles(n int) *Percentiles {
	return &Percentiles{make([]*int64, n), make([]*int64, n), make([]*int64, n), make([]*int64, n), make([]*int64, n)}
}

func (p *Percentiles) set(step int, h *hdr.PackedHistogram) {
	sum := histogram.Latency(h)
	p.P50[step], p.P95[step], p.P99[step], p.P999[step], p.Max[step] =
		&sum.P50Micros, &sum.P95Micros, &sum.P99Micros, &sum.P999Micros, &sum.MaxMicros
}
