package comparison

import (
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// DefaultMetrics are those that are compared where the user names none.
var DefaultMetrics = []string{figures.Throughput, figures.Errors, figures.P50, figures.P95, figures.P99, figures.Outage}

// Question is what the user asks.
type Question struct {
	// Metrics are names of internal/objective. Without any, DefaultMetrics are meant.
	Metrics []string
	// Operation is the kind of operation whose percentiles are compared; "" for each.
	Operation string
	// Where are labels of the combinations that are compared; none for all.
	Where []manifest.Label
	// Margin is by which part a figure may be worse, such as 0.05; 0 asks for no gate.
	Margin float64
	// Despite are fields in which the sources may differ.
	Despite []string
}

// Compare compares the others with the first. All figures that are judged are one gate. There are two sources at least. The
// error is of a question or a document that makes no sense.
func Compare(sources []*source.Source, q *Question) (*Document, error) {
	if err := checkWhere(sources, q.Where); err != nil {
		return nil, err
	}
	if err := checkOperation(sources, q.Operation); err != nil {
		return nil, err
	}
	base, others := sources[0], sources[1:]
	d := &Document{Format: Format, Margin: q.Margin, Confidence: confidence(sources), Base: sideOf(base), Compared: make([]Compared, len(others)), Warnings: []string{}}
	var own, foreign paired // foreign ones are of another tool
	for i, other := range others {
		c := &d.Compared[i]
		*c = Compared{Side: sideOf(other), Pairs: []Pair{}}
		pairs, onlyHere, onlyInBase := match(chosen(other.Found, q.Where), chosen(base.Found, q.Where))
		c.OnlyHere, c.OnlyInBase = labelsOf(onlyHere), labelsOf(onlyInBase)
		if len(pairs) == 0 {
			c.Why = "no combination has all the labels of one of " + d.Base.Argument + ": --where AXIS=VALUE chooses combinations"
		}
		for _, p := range pairs {
			pair := Pair{Combination: cleanLabels(p.One.Labels), Base: cleanLabels(p.Other.Labels), Trials: trials(p.One), BaseTrials: trials(p.Other),
				Outcome: Comparable, Figures: []Figure{}}
			if pair.Why = notComparable(other, base, q.Despite); pair.Why != "" {
				pair.Outcome = NotComparable
			} else if ofImported(other, base) {
				pair.Outcome = Imported
				foreign.add(sameWorkload(p, other), place{i, len(c.Pairs)})
			} else {
				own.add(p, place{i, len(c.Pairs)})
			}
			c.Pairs = append(c.Pairs, pair)
		}
	}
	found, err := q.ask(d.Confidence).Compare(own.pairings)
	if err != nil {
		return nil, text.CleanError(err)
	}
	ofOthers, err := q.compareImported(foreign.pairings, d.Confidence)
	if err != nil {
		return nil, text.CleanError(err)
	}
	at := slices.Concat(own.at, foreign.at)
	for i, versus := range slices.Concat(found, ofOthers) {
		p := &d.Compared[at[i].compared].Pairs[at[i].pair]
		p.take(&versus, d.Base.Argument)
		if base.NoFingerprints || others[at[i].compared].NoFingerprints {
			p.Accepted = nil // fields of a document that has none differ in nothing
		}
	}
	d.conclude(sources)
	return d, nil
}

// paired are pairs to compare, and where they are in the document.
type paired struct {
	pairings []findings.Pairing
	at       []place
}

type place struct{ compared, pair int }

func (p *paired) add(pairing findings.Pairing, at place) {
	p.pairings, p.at = append(p.pairings, pairing), append(p.at, at)
}

func (q *Question) ask(confidence float64) *findings.Question {
	asked := &findings.Question{Metrics: q.Metrics, All: true, Operation: q.Operation, Margin: q.Margin, Confidence: confidence, Despite: q.Despite}
	if len(q.Metrics) == 0 {
		// A run without faults has no outage, and nobody asked for it.
		asked.Metrics, asked.All = DefaultMetrics, false
	}
	return asked
}

// confidence is the largest of the sources': a suite that could end early has more of it.
func confidence(sources []*source.Source) float64 {
	most := manifest.Confidence
	for _, s := range sources {
		most = max(most, s.Confidence)
	}
	return most
}

// notComparable says why no figures of two sources may be compared; "" if nothing is against it but what they were.
func notComparable(one, base *source.Source, despite []string) string {
	switch {
	case one.Of.UID != "" && one.Of.UID == base.Of.UID:
		what := source.Suite
		if one.Kind == source.Run {
			what = source.Run
		}
		return "both are of one " + string(what) + ", which has the UID " + text.Clean(one.Of.UID) + ": there is nothing to compare"
	case ofImported(one, base):
		return ""
	case (one.NoFingerprints || base.NoFingerprints) && !fingerprint.Covered("/anything", despite):
		return "suite.json doesn't tell what its runs were, so nobody knows whether they are alike: take baseline.json of that suite, or accept everything with --despite /"
	}
	return ""
}

// trials are those with valid numbers: each has a throughput, or some other figure.
func trials(c *findings.BaselineCombination) int {
	blocks := map[int]bool{}
	for _, m := range c.Metrics {
		for _, value := range m.Values {
			blocks[value.Block] = true
		}
	}
	return len(blocks)
}

func sideOf(s *source.Source) Side {
	return Side{Argument: text.Clean(s.Argument), Kind: string(s.Kind), Tool: text.Clean(s.Tool), Namespace: text.Clean(s.Of.Namespace), Name: text.Clean(s.Of.Name), UID: text.Clean(s.Of.UID)}
}

func labelsOf(combinations []*findings.BaselineCombination) (all []Combination) {
	for _, c := range combinations {
		all = append(all, cleanLabels(c.Labels))
	}
	return all
}

// take adds what was found of a pair.
func (p *Pair) take(found *findings.Versus, base string) {
	p.Differences, p.Accepted = cleanDifferences(found.Differences), cleanDifferences(found.Accepted)
	if len(p.Differences) > 0 {
		p.Outcome = NotComparable
	}
	for _, c := range found.Figures {
		p.Figures = append(p.Figures, figureOf(c, base))
	}
	slices.SortStableFunc(p.Figures, func(a, b Figure) int { return CompareFigures(&a, &b) })
}

func figureOf(c *findings.Contrast, base string) Figure {
	f := Figure{
		Workload: text.Clean(c.Objective.Workload), Operation: text.Clean(c.Objective.Operation), Metric: c.Objective.Metric, Time: c.Time, Statistic: c.Objective.Statistic,
		Unit: c.Metric.Unit, HigherIsBetter: c.Metric.HigherIsBetter, Value: c.Value, Base: c.Base, Ratio: c.Ratio, Verdict: c.Verdict, Why: text.Clean(c.Why),
	}
	f.Change = changeOf(&f)
	if c.Judged {
		f.Objective = text.Clean(objective.RatioText(&c.Objective, base))
	}
	return f
}

// conclude gives the verdict, and adds what has to be known.
func (d *Document) conclude(sources []*source.Source) {
	var verdicts []stats.Verdict
	for i := range d.Compared {
		c := &d.Compared[i]
		c.Comparable = len(c.Pairs) > 0
		if len(c.Pairs) == 0 || len(c.OnlyHere)+len(c.OnlyInBase) > 0 {
			verdicts = append(verdicts, stats.Unknown) // what isn't there may be worse
		}
		for j := range c.Pairs {
			if c.Pairs[j].Outcome != Comparable {
				c.Comparable = false
				verdicts = append(verdicts, stats.Unknown)
			}
			for k := range c.Pairs[j].Figures {
				if verdict := c.Pairs[j].Figures[k].Verdict; verdict != "" {
					verdicts = append(verdicts, stats.Verdict(verdict))
				}
			}
		}
	}
	if d.Margin > 0 {
		d.Verdict = string(stats.AllOf(verdicts))
	}
	for _, s := range sources {
		if s.NoFingerprints {
			d.Warnings = append(d.Warnings, text.Clean(s.Argument)+": nobody knows whether its runs are like the others', nor whether the store could take their load")
		}
		for _, warning := range s.Warnings {
			d.Warnings = append(d.Warnings, text.Clean(fmt.Sprintf("%s: %s", s.Argument, warning)))
		}
	}
}
