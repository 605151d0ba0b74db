package imports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/imported/parse"
)

// said is what the user says of the files.
type said struct {
	tool, workload, time string
	operations           []string // GET=READ
}

// rename is another name for an operation.
type rename struct {
	from, to string
	used     bool
}

// check reads the flags.
func (s *said) check() (renames []*rename, err error) {
	if s.tool != "" && !slices.Contains(imported.Tools, s.tool) {
		return nil, fmt.Errorf("--tool is %q: it can be %s", s.tool, strings.Join(imported.Tools, ", "))
	}
	if s.time != "" && s.time != imported.Service && s.time != imported.Response {
		return nil, fmt.Errorf("--time is %q: it can be %s or %s", s.time, imported.Service, imported.Response)
	}
	for _, pair := range s.operations {
		from, to, has := strings.Cut(pair, "=")
		if !has || from == "" || to == "" {
			return nil, fmt.Errorf("--operation is %q: write the tool's name and the new one, such as GET=READ", pair)
		}
		if slices.ContainsFunc(renames, func(r *rename) bool { return r.from == from }) {
			return nil, fmt.Errorf("--operation renames %s twice", from)
		}
		renames = append(renames, &rename{from: from, to: to})
	}
	return renames, nil
}

// apply changes what a tool said to what the user says, and remarks it. A rename that a document has no use for may be of another
// file.
func (s *said) apply(m *imported.Measured, renames []*rename) error {
	for i := range m.Operations {
		o := &m.Operations[i]
		at := slices.IndexFunc(renames, func(r *rename) bool { return r.from == o.Operation })
		if at < 0 {
			continue
		}
		r := renames[at]
		r.used, o.Operation = true, r.to
		m.Remarks = append(m.Remarks, fmt.Sprintf("The operation %s is %s of the tool: whoever imported it said so.", r.to, r.from))
	}
	if s.time == "" {
		return nil
	}
	changed, dropped := false, false
	for i := range m.Operations {
		o := &m.Operations[i]
		if s.time == imported.Service {
			before := len(o.Latencies)
			o.Latencies = slices.DeleteFunc(o.Latencies, func(l imported.Latency) bool { return l.Time == imported.Response })
			dropped = dropped || len(o.Latencies) < before
		}
		for j := range o.Latencies {
			if l := &o.Latencies[j]; l.Time == imported.Unsaid {
				l.Time, changed = s.time, true
			}
		}
	}
	if dropped {
		m.Remarks = slices.DeleteFunc(m.Remarks, func(r string) bool { return r == parse.IntendedDoubt })
		m.Remarks = append(m.Remarks, "The Intended latencies are left out: whoever imported it said that there are service times alone.")
		return nil
	}
	if !changed {
		return fmt.Errorf("the output tells what its latencies are: leave out --time %s", s.time)
	}
	m.NotKnown = slices.DeleteFunc(m.NotKnown, func(n imported.NotKnown) bool { return n == imported.Time })
	m.Remarks = append(m.Remarks, fmt.Sprintf("The latencies are %s times: whoever imported it said so.", s.time))
	return nil
}

// checkUsed refuses a rename of an operation that no document has.
func checkUsed(renames []*rename, documents []*imported.Imported) error {
	for _, r := range renames {
		if r.used {
			continue
		}
		var there []string
		for _, d := range documents {
			for i := range d.Operations {
				if name := text.Clean(d.Operations[i].Operation); !slices.Contains(there, name) && len(there) < 20 {
					there = append(there, name)
				}
			}
		}
		return fmt.Errorf("--operation renames %s, and there is none of that name: there are %s", r.from, strings.Join(there, ", "))
	}
	return nil
}
