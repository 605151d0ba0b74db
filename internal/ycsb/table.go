package ycsb

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TableFormats are the outputs of a search and a sweep.
var TableFormats = []string{"text", "csv", "json"}

// pointWriter writes points as they come, or all at the end.
type pointWriter struct {
	to          io.Writer
	format      string
	percentiles []float64
	points      []*Point
	failed      error // the first
}

func (w *pointWriter) printf(format string, args ...any) {
	if w.failed == nil {
		_, w.failed = fmt.Fprintf(w.to, format, args...)
	}
}

func (w *pointWriter) begin() {
	if w.format != "text" {
		return
	}
	w.printf("%10s %8s %12s %-18s %10s %8s", "rate/s", "threads", "achieved/s", "operation", "succeeded", "failed")
	for _, p := range w.percentiles {
		w.printf(" %10s", "p"+number(p))
	}
	w.printf(" %10s  %s\n", "max", "verdict")
}

func (w *pointWriter) add(p *Point) {
	w.points = append(w.points, p)
	if w.format != "text" {
		return
	}
	rate, threads := "-", "-"
	if p.Rate > 0 {
		rate = number(p.Rate)
	}
	if p.Threads > 0 {
		threads = strconv.Itoa(p.Threads)
	}
	for _, o := range p.rows() {
		row := fmt.Appendf(nil, "%10s %8s %12.1f %-18s %10d %8d", rate, threads, p.Throughput, o.Operation, o.Succeeded, o.Failed)
		for _, micros := range o.latencies(len(w.percentiles)) {
			text := "-"
			if micros >= 0 {
				text = (time.Duration(micros) * time.Microsecond).String()
			}
			row = fmt.Appendf(row, " %10s", text)
		}
		w.printf("%s\n", bytes.TrimRight(fmt.Appendf(row, "  %s", p.verdict()), " "))
	}
}

// rows are a row for each kind of operation, or one when no operation ended.
func (p *Point) rows() []PointLatency {
	if len(p.Operations) == 0 {
		return []PointLatency{{Operation: "-"}}
	}
	return p.Operations
}

// latencies are the percentiles, so many, and the maximum; -1 where nothing succeeded.
func (o *PointLatency) latencies(percentiles int) []int64 {
	if o.Succeeded == 0 {
		return slices.Repeat([]int64{-1}, percentiles+1)
	}
	return append(slices.Clip(o.Micros), o.MaxMicros)
}

// verdict in a word or two.
func (p *Point) verdict() string {
	var words []string
	if p.NeverStarted > 0 {
		words = append(words, fmt.Sprintf("%d never started", p.NeverStarted))
	}
	if p.Censored {
		words = append(words, "lower bounds")
	}
	switch {
	case len(p.Invalid) > 0:
		words = append(words, "not valid")
	case p.Met != nil && *p.Met:
		words = append(words, "met")
	case p.Met != nil:
		words = append(words, "missed")
	}
	return strings.Join(words, ", ")
}

// end writes what is written in one piece. answer is of a search, nil for a sweep.
func (w *pointWriter) end(answer *Answer) error {
	switch w.format {
	case "json":
		text, err := json.MarshalIndent(struct {
			Percentiles []float64 `json:"percentiles"`
			Points      []*Point  `json:"points"`
			Answer      *Answer   `json:"answer,omitempty"`
		}{w.percentiles, w.points, answer}, "", "  ")
		if err != nil {
			return err
		}
		_, err = w.to.Write(append(text, '\n'))
		return err
	case "csv":
		return w.csv()
	}
	if answer != nil {
		w.printf("%s\n", answer)
	}
	return w.failed
}

func (w *pointWriter) csv() error {
	table := csv.NewWriter(w.to)
	header := []string{"rate", "threads", "throughput", "operation", "succeeded", "failed", "never_started", "max_us"}
	for _, p := range w.percentiles {
		header = append(header, "p"+number(p)+"_us")
	}
	_ = table.Write(append(header, "verdict")) // an error is kept until the end, here and below
	for _, p := range w.points {
		for _, o := range p.rows() {
			var values []string
			for _, micros := range o.latencies(len(w.percentiles)) {
				text := ""
				if micros >= 0 {
					text = strconv.FormatInt(micros, 10)
				}
				values = append(values, text)
			}
			last := len(values) - 1
			row := []string{
				number(p.Rate), strconv.Itoa(p.Threads), number(p.Throughput), o.Operation,
				strconv.FormatInt(o.Succeeded, 10), strconv.FormatInt(o.Failed, 10), strconv.FormatInt(p.NeverStarted, 10), values[last],
			}
			_ = table.Write(append(append(row, values[:last]...), p.verdict()))
		}
	}
	table.Flush()
	return table.Error()
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
