package objective

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
)

// Text is the objective as people say it, such as "p99 of READ at most 20ms".
func Text(o *plan.Objective) string {
	m, known := Find(o.Metric)
	if !known {
		return TextOf(o, "") // of another version of kvbench
	}
	bound := boundOf(o)
	if m.Unit == figures.Records && bound == 0 {
		return TextOf(o, "0")
	}
	return TextOf(o, direction(o)+" "+number(bound, m.Unit))
}

// RatioText is an objective that bounds the ratio to a baseline, such as "throughput at least 95 % of store=etcd".
func RatioText(o *plan.Objective, baseline string) string {
	return TextOf(o, direction(o)+" "+number(boundOf(o), figures.Share)+" of "+baseline)
}

// TextOf names what is bounded, and then the bound.
func TextOf(o *plan.Objective, bound string) string {
	words := []string{o.Metric}
	if m, known := Find(o.Metric); known {
		words[0] = m.Text
	}
	if o.Operation != "" {
		words = append(words, "of "+o.Operation)
	}
	if o.Statistic != "" {
		words = append(words, o.Statistic)
	}
	if bound != "" {
		words = append(words, bound)
	}
	if o.Workload != "" {
		words = append(words, "in workload "+o.Workload)
	}
	return strings.Join(words, " ")
}

func direction(o *plan.Objective) string {
	if o.AtLeast != nil {
		return "at least"
	}
	return "at most"
}

func boundOf(o *plan.Objective) float64 {
	switch {
	case o.AtLeast != nil:
		return *o.AtLeast
	case o.AtMost != nil:
		return *o.AtMost
	}
	return math.NaN()
}

// number writes a bound as people do.
func number(bound float64, unit string) string {
	switch unit {
	case figures.Seconds:
		return trimmed(time.Duration(math.Round(bound * 1e9)))
	case figures.Share:
		return strconv.FormatFloat(bound*100, 'g', 10, 64) + " %"
	}
	return strconv.FormatFloat(bound, 'f', -1, 64)
}

// trimmed is a length of time without parts that are 0, such as 1m.
func trimmed(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// Message says what decided the verdict: the objective, and the figures that broke it, or that aren't known.
func Message(o *report.Objective) string {
	var parts []string
	for i := range o.Judged {
		if j := &o.Judged[i]; j.Verdict == o.Verdict {
			parts = append(parts, found(o, j))
		}
	}
	return o.Text + ": " + strings.Join(parts, ", ")
}

// found is a figure as people say it, such as "12.30 ms of READ in workload a".
func found(o *report.Objective, j *report.Judged) string {
	text := Found(&o.Objective, j)
	if j.Operation != "" && o.Operation == "" {
		text += " of " + j.Operation
	}
	if j.Workload != "" && o.Workload == "" {
		text += " in workload " + j.Workload
	}
	return text
}

// Found is the figure alone, and why it proves nothing if it doesn't.
func Found(o *plan.Objective, j *report.Judged) string {
	text := ""
	switch {
	case j.Value != nil:
		text = beside(*j.Value, o)
	case j.AtLeast != nil:
		text = beside(*j.AtLeast, o) + " or more"
	}
	switch {
	case j.Why == "":
		return text
	case text == "":
		return j.Why
	}
	return text + " (" + j.Why + ")"
}

// beside writes a figure with as many digits as tell it apart from the bound.
func beside(value float64, o *plan.Objective) string {
	unit, bound := "", boundOf(o)
	if m, known := Find(o.Metric); known {
		unit = m.Unit
	}
	text := figures.Text(value, unit)
	if value == bound || text != figures.Text(bound, unit) {
		return text
	}
	switch unit {
	case figures.PerSecond:
		return strconv.FormatFloat(value, 'f', -1, 64) + "/s"
	case figures.Seconds:
		return time.Duration(math.Round(value * 1e9)).String()
	case figures.Share:
		return strconv.FormatFloat(value*100, 'g', 10, 64) + " %"
	}
	return text
}
