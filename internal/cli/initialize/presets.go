package initialize

import (
	"errors"
	"strings"
)

// preset is a workload of kvbench, and what its operations are.
type preset struct{ name, mix string }

var presets = []preset{
	{"A", "half reads, half updates"},
	{"B", "95 % reads, 5 % updates"},
	{"C", "reads alone"},
	{"D", "95 % reads of the newest records, 5 % inserts"},
	{"E", "95 % scans of up to 100 records, 5 % inserts"},
	{"F", "half reads, half read-modify-writes"},
	{"mixgraph", "83 % reads, 14 % updates, 3 % scans, with keys and lengths as in ZippyDB"},
}

// workloadOptions are those that the store can do.
func workloadOptions(a *answers) (options []option) {
	for _, p := range presets {
		if a.withWorkload(p).possible() == nil {
			options = append(options, option{p.name, p.mix})
		}
	}
	return options
}

func takeWorkload(a *answers, value string) error {
	for _, p := range presets {
		if !strings.EqualFold(p.name, value) {
			continue
		}
		with := a.withWorkload(p)
		if err := with.possible(); err != nil {
			return errors.New(reason(err))
		}
		*a = *with
		return nil
	}
	return errors.New("there is no such workload: " + instead(value, valuesOf(workloadOptions(a))))
}

func (a *answers) withWorkload(p preset) *answers {
	with := *a
	with.workload = p
	return &with
}

func valuesOf(options []option) []string {
	values := make([]string, len(options))
	for i, o := range options {
		values[i] = o.value
	}
	return values
}
