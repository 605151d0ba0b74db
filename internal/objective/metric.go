// Package objective says what an objective bounds, and whether a run keeps it. It is pure.
package objective

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/report/figures"
)

// Metric is a kind of figure that an objective may bound.
type Metric struct {
	Name string // in figures
	Text string // for people
	Unit string // in figures
	// HigherIsBetter says that an objective is a lower bound.
	HigherIsBetter bool
	// OfOperations says that each kind of operation has a figure of its own.
	OfOperations bool
	// OfFaults says that faults have it.
	OfFaults bool
	// Ratio says that a ratio of two such figures has a meaning.
	Ratio bool
}

// Metrics are all that there are.
var Metrics = []Metric{
	{Name: figures.Throughput, Text: "throughput", Unit: figures.PerSecond, HigherIsBetter: true, Ratio: true},
	{Name: figures.Errors, Text: "errors", Unit: figures.Share},
	{Name: figures.P50, Text: "p50", Unit: figures.Seconds, OfOperations: true, Ratio: true},
	{Name: figures.P95, Text: "p95", Unit: figures.Seconds, OfOperations: true, Ratio: true},
	{Name: figures.P99, Text: "p99", Unit: figures.Seconds, OfOperations: true, Ratio: true},
	{Name: figures.P999, Text: "p999", Unit: figures.Seconds, OfOperations: true, Ratio: true},
	{Name: figures.Outage, Text: "outage", Unit: figures.Seconds, OfFaults: true, Ratio: true},
	{Name: figures.RecordsLost, Text: "records lost", Unit: figures.Records, OfFaults: true},
}

// Find returns the metric of that name.
func Find(name string) (*Metric, bool) {
	at := slices.IndexFunc(Metrics, func(m Metric) bool { return m.Name == name })
	if at < 0 {
		return nil, false
	}
	return &Metrics[at], true
}

// maxText bounds what people write as a bound.
const maxText = 32

// Bound reads a bound of the metric's own figures: "20ms", "2000", "0.1%".
func (m *Metric) Bound(text string) (float64, error) {
	if len(text) > maxText {
		return 0, fmt.Errorf("a bound has at most %d characters", maxText)
	}
	switch m.Unit {
	case figures.Seconds:
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return 0, fmt.Errorf("%q is no length of time above 0: write one such as 20ms or 1.5s", text)
		}
		return float64(d) / 1e9, nil
	case figures.Share:
		if text == "0" {
			return 0, nil
		}
		share, err := percent(text)
		if err != nil || share > 1 {
			return 0, fmt.Errorf("%q is no part of all operations: write it in percent, such as 0.1%%", text)
		}
		return share, nil
	case figures.Records:
		if count, err := strconv.ParseInt(text, 10, 53); err == nil && count >= 0 {
			return float64(count), nil
		}
		return 0, fmt.Errorf("%q is no number of records: write one such as 0", text)
	}
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate > 0) || math.IsInf(rate, 0) {
		return 0, fmt.Errorf("%q is no rate above 0: write operations/s, such as 2000", text)
	}
	return rate, nil
}

// RatioBound reads a bound of the ratio to a baseline: "95%".
func RatioBound(text string) (float64, error) {
	if len(text) <= maxText {
		if ratio, err := percent(text); err == nil && ratio > 0 {
			return ratio, nil
		}
	}
	return 0, fmt.Errorf("%.40q is no part of a baseline above 0: write it in percent, such as 95%%", text)
}

var errNoPercent = errors.New("no number of percent")

// percent reads a number of percent as a part of 1. It moves the point of the text, since a division would round again.
func percent(text string) (float64, error) {
	digits, is := strings.CutSuffix(text, "%")
	digits = strings.TrimSpace(digits)
	if !is || digits == "" || strings.Trim(digits, "0123456789.") != "" {
		return 0, errNoPercent
	}
	return strconv.ParseFloat(digits+"e-2", 64)
}
