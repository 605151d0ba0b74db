package parse

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/imported"
)

var (
	// k6Line is a metric's line. A mark says whether its thresholds were kept.
	k6Line    = regexp.MustCompile(`^\s*(?:[✓✗]\s+)?([A-Za-z_][A-Za-z0-9_]*)\.{3,}:\s*(.*?)\s*$`)
	k6Stats   = regexp.MustCompile(`^\S+=\S+(?:\s+\S+=\S+)*$`)
	k6Count   = regexp.MustCompile(`^([0-9][0-9.e+]*)\s+([0-9][0-9.e+-]*)/s$`)
	k6Rate    = regexp.MustCompile(`^[0-9.]+%\s+(?:✓\s*([0-9]+)\s+✗\s*[0-9]+|([0-9]+) out of [0-9]+)$`)
	k6Section = regexp.MustCompile(`^\s*█ (TOTAL RESULTS$|GROUP: |SCENARIO: )`)
)

// k6Text reads the summary that k6 prints at the end of a test. Later sections, of groups and scenarios, are of parts of
// the whole.
func k6Text(content []byte) (*imported.Measured, error) {
	lines := linesOf(content)
	k := &k6Metrics{counters: map[string]k6Counter{}, failed: map[string]*int64{}}
	var stats []string // of all trends
	total, later := false, false
	for _, l := range lines {
		if section := k6Section.FindStringSubmatch(l.text); section != nil {
			isTotal := strings.HasPrefix(section[1], "TOTAL")
			if total && isTotal {
				return nil, l.errorf("the results of a second run begin there: import the output of one run at a time")
			}
			later, total = total, total || isTotal
		}
		if later {
			continue
		}
		parts := k6Line.FindStringSubmatch(l.text)
		if parts == nil {
			continue
		}
		names, err := k.add(parts[1], parts[2])
		if err == nil && names != nil {
			if stats == nil {
				stats = names
			}
			if !slices.Equal(names, stats) {
				err = errors.New("it has other statistics than the lines before it: the file is cut off or garbled there")
			}
		}
		if err != nil {
			return nil, l.errorf("%s: %w", parts[1], err)
		}
	}
	if err := checkEnd(lines); err != nil {
		return nil, err
	}
	for _, kind := range k6Kinds {
		_, counted := k.counters[kind.counter]
		if kind.counter != "" && !counted && slices.ContainsFunc(k.trends, func(t k6Trend) bool { return t.name == kind.trend }) {
			return nil, fmt.Errorf("it has %s, and no %s: the end of the summary is missing", kind.trend, kind.counter)
		}
	}
	return k.measured()
}

// add takes a metric's line. names are those of a trend's statistics, nil for other metrics.
func (k *k6Metrics) add(name, value string) (names []string, err error) {
	if k6Stats.MatchString(value) {
		return k.addTrend(name, strings.Fields(value))
	}
	wanted := func(of func(k6Kind) string) bool {
		return slices.ContainsFunc(k6Kinds, func(kind k6Kind) bool { return of(kind) == name })
	}
	switch {
	case name == k6Dropped || wanted(func(kind k6Kind) string { return kind.counter }):
		parts := k6Count.FindStringSubmatch(value)
		if parts == nil {
			return nil, errGarbled(value)
		}
		return nil, k.addCounter(name, parts[1], parts[2])
	case wanted(func(kind k6Kind) string { return kind.failed }):
		parts := k6Rate.FindStringSubmatch(value)
		if parts == nil {
			return nil, errGarbled(value)
		}
		k.failed[name], err = whole(parts[1] + parts[2])
		return nil, err
	case wanted(func(kind k6Kind) string { return kind.trend }):
		return nil, errGarbled(value)
	}
	return nil, nil // of no operation
}

func errGarbled(value string) error {
	return errors.New(quoted(value) + " is cut off or garbled")
}

func (k *k6Metrics) addCounter(name, count, rate string) error {
	if _, twice := k.counters[name]; twice {
		return errors.New("it is there twice: import the output of one run at a time")
	}
	n, err := whole(count)
	if err != nil {
		return err
	}
	of := float64(*n)
	c := k6Counter{count: &of}
	if c.rate, err = number(rate); err != nil {
		return err
	}
	k.counters[name] = c
	return nil
}

// addTrend takes a trend if it is one of durations: their values have a unit.
func (k *k6Metrics) addTrend(name string, fields []string) (names []string, err error) {
	if slices.ContainsFunc(k.trends, func(t k6Trend) bool { return t.name == name }) {
		return nil, errors.New("it is there twice: import the output of one run at a time")
	}
	t := k6Trend{name: name, latency: imported.Latency{Time: imported.Service}}
	units := 0
	for _, field := range fields {
		stat, value, _ := strings.Cut(field, "=")
		names = append(names, stat)
		if stat == "count" {
			if t.count, err = whole(value); err != nil {
				return nil, err
			}
			continue
		}
		if value[len(value)-1] == 's' {
			units++
		}
		micros, failed := duration(value)
		if failed != nil && units > 0 {
			return nil, failed
		}
		if at := statOf(&t.latency, stat); at != nil {
			*at = micros
		}
	}
	if units == 0 && !slices.ContainsFunc(k6Kinds, func(kind k6Kind) bool { return kind.trend == name }) {
		return names, nil // of something else than time
	}
	if units == 0 {
		return nil, errGarbled(strings.Join(fields, " "))
	}
	if len(k.trends) == imported.MaxOperations {
		return nil, errTooMany
	}
	k.trends = append(k.trends, t)
	return names, nil
}
