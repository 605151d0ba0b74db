package findings

import (
	"strings"

	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Verdict is what a suite's report says of its objectives, in short: the controller takes it into the suite's status.
type Verdict struct {
	Complete bool `json:"complete"`
	// Verdict of all objectives; "" where there are none.
	Verdict    string             `json:"verdict"`
	Width      *Width             `json:"width,omitempty"`
	Objectives []ObjectiveVerdict `json:"objectives"`
}

// ObjectiveVerdict is of one objective. Message is a sentence for people, with the figures that decided.
type ObjectiveVerdict struct {
	Verdict string `json:"verdict"`
	Message string `json:"message"`
}

// Short is the report's verdict.
func (r *Report) Short() *Verdict {
	v := &Verdict{Complete: r.Complete, Verdict: r.Verdict, Width: r.Width, Objectives: []ObjectiveVerdict{}}
	for i := range r.Objectives {
		o := &r.Objectives[i]
		v.Objectives = append(v.Objectives, ObjectiveVerdict{o.Verdict, o.Message()})
	}
	return v
}

// deciding is how many figures a message names.
const deciding = 4

// Message names the figures that decided the verdict.
func (o *Objective) Message() string {
	var parts []string
	for i := range o.Judged {
		if j := &o.Judged[i]; j.Verdict == o.Verdict {
			parts = append(parts, o.found(j))
		}
	}
	if more := len(parts) - deciding; more > 0 {
		parts = append(parts[:deciding], "and more")
	}
	return o.Text + ": " + strings.Join(parts, ", ")
}

func (o *Objective) found(j *Judged) string {
	text := j.Text(&o.Objective)
	if j.Why != "" {
		text += " (" + j.Why + ")"
	}
	if j.Operation != "" && o.Operation == "" {
		text += " of " + j.Operation
	}
	if j.Workload != "" && o.Workload == "" {
		text += " in workload " + j.Workload
	}
	text += " with " + manifest.NameOf(j.Combination)
	if len(j.Baseline) > 0 {
		text += " against " + manifest.NameOf(j.Baseline)
	}
	return text
}

// Text is the figure with its interval, for people.
func (j *Judged) Text(o *plan.Objective) string {
	unit := j.unit(o)
	text := "–"
	switch f := &j.Figure; {
	case f.Value != nil:
		text = figures.Text(*f.Value, unit)
	case f.AtLeast != nil:
		text = "≥ " + figures.Text(*f.AtLeast, unit)
	}
	if f := &j.Figure; f.Confidence != 0 && f.Low != nil && f.High != nil {
		text += " (" + figures.Text(*f.Low, unit) + " … " + figures.Text(*f.High, unit) + ")"
	}
	return text
}

// unit of the figure: a ratio is written in percent, as its bound is.
func (j *Judged) unit(o *plan.Objective) string {
	if len(j.Baseline) > 0 {
		return figures.Share
	}
	if m, known := objective.Find(o.Metric); known {
		return m.Unit
	}
	return ""
}
