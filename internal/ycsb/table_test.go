package ycsb

import (
	"errors"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/ycsb/measurements"
)

func TestAStepInWhichNothingEndedHasARow(t *testing.T) {
	for format, want := range map[string]string{
		"text": "        20        -          0.0 -                           0        0          -          -          -  9 never started\n",
		"csv":  "20,0,0,-,0,0,9,,,,9 never started\n",
	} {
		var out strings.Builder
		w := &pointWriter{to: &out, format: format, percentiles: []float64{50, 99}}
		w.begin()
		w.add(&Point{Rate: 20, NeverStarted: 9})
		if err := w.end(nil); err != nil || !strings.HasSuffix(out.String(), "\n"+want) {
			t.Errorf("%v, and printed\n%q, want\n%q", err, out.String(), want)
		}
	}
}

func TestATableHasNoLatenciesOfFailures(t *testing.T) {
	for format, want := range map[string]string{
		"text": "       100        -         50.0 READ                       50        1       20µs       30µs\n" +
			"       100        -         50.0 UPDATE                      0        3          -          -\n",
		"csv": "100,0,50,READ,50,1,0,30,20,\n100,0,50,UPDATE,0,3,0,,,\n",
	} {
		var out strings.Builder
		w := &pointWriter{to: &out, format: format, percentiles: []float64{50}}
		w.begin()
		w.add(&Point{Rate: 100, Throughput: 50, Operations: []PointLatency{
			{Operation: "READ", Succeeded: 50, Failed: 1, Micros: []int64{20}, MaxMicros: 30},
			{Operation: "UPDATE", Failed: 3, Micros: []int64{0}},
		}})
		if err := w.end(nil); err != nil || !strings.HasSuffix(out.String(), "\n"+want) {
			t.Errorf("%v, and printed\n%s, want\n%s", err, out.String(), want)
		}
	}
}

func TestLatenciesThatLackOperationsAreMarked(t *testing.T) {
	for format, want := range map[string]string{
		"text": "5 never started, lower bounds\n",
		"csv":  ",\"5 never started, lower bounds\"\n",
		"json": "\"responseTimeCensored\": true",
	} {
		var out strings.Builder
		w := &pointWriter{to: &out, format: format}
		w.begin()
		w.add(newPoint(&figures{Figures: &measurements.Figures{Totals: &measurements.Totals{}, Open: true}, report: &report.Report{Workloads: []report.Workload{
			{NeverStarted: 5, ResponseTimeCensored: true},
		}}}, nil))
		if err := w.end(nil); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v, and printed\n%s, want\n%s", err, out.String(), want)
		}
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestATableThatCannotBeWrittenIsAnError(t *testing.T) {
	for _, format := range TableFormats {
		w := &pointWriter{to: full{}, format: format}
		w.begin()
		w.add(&Point{Rate: 20})
		if err := w.end(nil); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", format, err)
		}
	}
}
