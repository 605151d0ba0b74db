package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/watch/frame"
)

// figuresEvery is how often the figures of a measurement make a line, in seconds of it.
const figuresEvery = 10

// Changes are lines that say what is another in the later frame, for a log. earlier is nil before the first one. The time is that of
// the run or the suite.
func Changes(earlier, later *frame.Frame) []string {
	var c changes
	if earlier == nil {
		c.add("", strings.Join(append(title(later, false), clean(later.Phase)), gap))
		earlier = &frame.Frame{Phase: later.Phase}
	}
	c.servers(earlier, later)
	switch {
	case later.Suite != nil:
		c.suite(earlier, later)
	case later.Run != nil:
		run := earlier.Run
		if run == nil {
			run = &frame.Run{Phase: later.Run.Phase}
		}
		c.run(run, later.Run, later)
	}
	at := fmt.Sprintf("%7s  ", span(later.AgeSeconds))
	for i := range c.lines {
		c.lines[i] = at + c.lines[i]
	}
	return c.lines
}

type changes struct{ lines []string }

// add adds a line where the text is another one. A text that is gone has nothing to say.
func (c *changes) add(before, after string) {
	if after != before && after != "" {
		c.lines = append(c.lines, after)
	}
}

func (c *changes) servers(earlier, later *frame.Frame) {
	for _, server := range []struct {
		name          string
		before, after *frame.Silence
	}{{"API server", earlier.Cluster, later.Cluster}, {"results server", earlier.Results, later.Results}} {
		switch {
		case server.before == nil && server.after != nil:
			c.add("", fmt.Sprintf("no answer from the %s, it is asked again: %s", server.name, clean(server.after.Trouble)))
		case server.before != nil && server.after == nil:
			c.add("", fmt.Sprintf("the %s answers again", server.name))
		}
	}
	for _, missing := range later.Missing {
		if !slices.Contains(earlier.Missing, missing) {
			c.add("", clean(missing))
		}
	}
}

func (c *changes) run(before, after *frame.Run, at *frame.Frame) {
	c.add(standing(before), standing(after))
	for _, f := range after.Faults {
		known := func(other frame.Fault) bool {
			return other.Name == f.Name && other.State == f.State && other.Message == f.Message
		}
		if f.State != frame.Planned && !slices.ContainsFunc(before.Faults, known) {
			c.add("", "fault "+faultText(&f))
		}
	}
	ofSuite := at.Suite != nil // which has many runs, so that less is told of each
	if !ofSuite {
		c.members(before.Members, after)
	}
	for _, e := range slices.Backward(after.Events) {
		if !slices.Contains(before.Events, e) && (e.Warning || !ofSuite) {
			c.add("", "event of "+eventText(&e, at.Time))
		}
	}
	for _, f := range after.Found {
		if !slices.ContainsFunc(before.Found, func(other frame.Found) bool { return other.Workload == f.Workload }) {
			c.add("", "found: "+strings.Join(foundWords(&f, false), ", "))
		}
	}
	if due(before, after) {
		c.add("", loadText(after))
	}
}

// standing is the phase of a run, the workload whose turn it is, and what it waits for.
func standing(run *frame.Run) string {
	text := clean(run.Phase)
	if run.Workload != "" && slices.ContainsFunc(run.Steps, inWorkload) {
		text += " " + workloadText(run)
	}
	if run.Waiting != "" {
		text += ": " + clean(run.Waiting)
	}
	return text
}

func inWorkload(s frame.Step) bool {
	return s.State == frame.Current && slices.Contains([]string{"load", "arm", "measure", "heal"}, s.Name)
}

// members says who has another role, where it was known before.
func (c *changes) members(before []frame.Member, after *frame.Run) {
	if len(before) == 0 && len(after.Members) > 0 {
		c.add("", "members: "+strings.Join(memberTexts(after.Members), ", "))
		return
	}
	for i, text := range memberTexts(after.Members) {
		was := slices.IndexFunc(before, func(m frame.Member) bool { return m.Name == after.Members[i].Name })
		if was < 0 || before[was] != after.Members[i] {
			c.add("", "member "+text)
		}
	}
}

func memberTexts(members []frame.Member) []string {
	texts := make([]string, len(members))
	for i, m := range members {
		texts[i] = clean(m.Name) + " " + clean(m.Role)
		if !m.Up {
			texts[i] += down
		}
	}
	return texts
}

// due says whether the figures make a line.
func due(before, after *frame.Run) bool {
	if after.Load == nil || after.Load.Figures == nil {
		return false
	}
	if before.Load == nil || before.Load.Figures == nil || before.Workload != after.Workload {
		return true
	}
	return before.Load.ElapsedSeconds/figuresEvery != after.Load.ElapsedSeconds/figuresEvery
}

func loadText(run *frame.Run) string {
	load := run.Load
	words := append([]string{elapsedText(load)}, figureWords(load, false)...)
	if age := load.Figures.AgeSeconds; age >= frame.StaleSeconds {
		words[0] += fmt.Sprintf("; not live, %s ago", span(age))
	}
	return workloadText(run) + ": " + words[0] + "; operations/s: " + strings.Join(words[1:], ", ")
}

func (c *changes) suite(earlier, later *frame.Frame) {
	before, after := earlier.Suite, later.Suite
	if before == nil {
		before = &frame.Suite{Rows: after.Rows} // what was done before is in the counts
	}
	if earlier.Phase != later.Phase {
		c.add("", clean(later.Phase))
	}
	c.add(clean(before.Waiting), clean(after.Waiting))
	cells := map[string]frame.CellState{}
	for _, row := range before.Rows {
		for block, cell := range row.Cells {
			cells[fmt.Sprint(block, row.Combination)] = cell.State
		}
	}
	for _, row := range after.Rows {
		for block, cell := range row.Cells {
			was, known := cells[fmt.Sprint(block, row.Combination)]
			if known && was != cell.State {
				c.add("", fmt.Sprintf("trial %s of block %d: %s", clean(row.Combination), block+1, words[cell.State]))
			}
		}
	}
	if before.Done != after.Done || before.Total != after.Total || before.Unusable != after.Unusable {
		c.add("", strings.Join(counts(after), ", "))
	}
	if run := after.Run; run != nil {
		same := before.Run
		if same == nil || same.Name != run.Name {
			same = &frame.Run{}
		}
		var of changes
		of.run(same, run, later)
		for _, line := range of.lines {
			c.add("", "run "+clean(run.Name)+": "+line)
		}
	}
}
