package render

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/findings"
)

// Summary is what was found, in some sentences. The first is the verdict.
func Summary(d *comparison.Document) string {
	n := countOf(d)
	var sentences []string
	if d.Verdict != "" {
		sentences = append(sentences, fmt.Sprintf("%s: no figure may be worse by more than %s.", d.Verdict, percent(d.Margin)))
	}
	switch {
	case n.judged > 0:
		sentences = append(sentences, fmt.Sprintf("Of %s: %s.", plural(n.judged, "judged figure"), list(n.verdicts,
			pair{report.VerdictFailed, "failed"}, pair{report.VerdictUnknown, "can't be told"}, pair{report.VerdictPassed, "passed"})))
	case n.figures > 0 && n.figures == n.changes[comparison.Unknown]:
		sentences = append(sentences, fmt.Sprintf("%s, and none can be told apart.", plural(n.figures, "figure")))
	case n.figures > 0:
		sentences = append(sentences, fmt.Sprintf("Of %s: %s.", plural(n.figures, "figure"), list(n.changes,
			pair{comparison.Worse, "worse"}, pair{comparison.Better, "better"}, pair{comparison.Same, "without a difference that the trials show"},
			pair{comparison.Unknown, "can't be told"})))
	}
	if n.notComparable > 0 {
		sentences = append(sentences, fmt.Sprintf("NotComparable: %d of %s.", n.notComparable, plural(n.pairs, "pair")))
	}
	if n.alone > 0 {
		sentences = append(sentences, fmt.Sprintf("Without a counterpart: %s.", plural(n.alone, "combination")))
	}
	if n.imported > 0 {
		sentences = append(sentences, fmt.Sprintf("Imported: the validity of %d of %s is not known, so a difference proves nothing.", n.imported, plural(n.pairs, "pair")))
	}
	if n.single {
		sentences = append(sentences, strings.ToUpper(findings.OneTrialEach[:1])+findings.OneTrialEach[1:]+".")
	}
	return strings.Join(sentences, " ")
}

// pair is a key of counts, and what people call it.
type pair struct{ key, text string }

// list are the counts that aren't 0, such as "2 failed, 1 passed".
func list(of map[string]int, pairs ...pair) string {
	var parts []string
	for _, p := range pairs {
		if of[p.key] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of[p.key], p.text))
		}
	}
	return strings.Join(parts, ", ")
}

// Caution has to be known beside intervals; "" where there are none.
func Caution(d *comparison.Document) string {
	n := countOf(d)
	if n.figures == n.changes[comparison.Unknown] {
		return ""
	}
	return fmt.Sprintf("Each interval by itself has a confidence of %s, so some of many figures differ by chance. The trials were made at different times: "+
		"a change of the machine in between looks like one of the store.", percent(d.Confidence))
}

// counts are of a whole document. Pairs that aren't there count as one that isn't comparable.
type counts struct {
	pairs, notComparable, imported, alone, figures, judged int
	verdicts, changes                                      map[string]int
	single                                                 bool // some ratio is of one trial each
}

func countOf(d *comparison.Document) counts {
	n := counts{verdicts: map[string]int{}, changes: map[string]int{}}
	for i := range d.Compared {
		c := &d.Compared[i]
		if len(c.Pairs) == 0 {
			n.pairs++
			n.notComparable++
			continue
		}
		n.alone += len(c.OnlyHere) + len(c.OnlyInBase)
		for j := range c.Pairs {
			n.take(&c.Pairs[j])
		}
	}
	return n
}

func (n *counts) take(p *comparison.Pair) {
	n.pairs++
	switch p.Outcome {
	case comparison.NotComparable:
		n.notComparable++
	case comparison.Imported:
		n.imported++
	}
	for i := range p.Figures {
		f := &p.Figures[i]
		n.figures++
		n.changes[f.Change]++
		n.single = n.single || f.Why == findings.OneTrialEach
		if f.Verdict != "" {
			n.judged++
			n.verdicts[f.Verdict]++
		}
	}
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
