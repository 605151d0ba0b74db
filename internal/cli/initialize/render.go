package initialize

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What every first run has.
const (
	records        = 10000
	workers        = 2
	threads        = 8
	measureSeconds = 90
	faultAtSeconds = 30
	faultSeconds   = 20
	warmup         = 10 * time.Second // where the catalog has none for the store
	cooldown       = 5 * time.Second
)

// render is the YAML of the run that the answers make. Answers that aren't there yet have the first of their values.
func render(a *answers) string {
	y := &yamlLines{}
	y.comment("A first run of %s. kubectl kvbench init wrote it; kubectl explain benchmarkrun.spec has all fields.", a.store.Name)
	y.line(0, "apiVersion: kvbench.io/v1alpha1", "")
	y.line(0, "kind: BenchmarkRun", "")
	y.line(0, "metadata:", "")
	y.line(1, "name: "+quoted(a.name), "")
	y.line(0, "spec:", "")
	y.store(a)
	y.workload(a)
	y.load(a)
	if a.fault.name != "" {
		y.fault(&a.fault)
	}
	return y.text.String()
}

// plain are names that no YAML takes for anything but text, unless they are words of its own.
var plain = regexp.MustCompile(`^[a-z][-a-z0-9]*$`)

// words are what some YAML takes for a truth value, or for nothing.
var words = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

// quoted is a name of a run in YAML.
func quoted(name string) string {
	if plain.MatchString(name) && !slices.Contains(words, name) {
		return name
	}
	return strconv.Quote(name)
}

func (y *yamlLines) store(a *answers) {
	y.line(1, "store:", "")
	y.line(2, "name: "+a.store.Name, "the catalog's entry")
	y.line(2, "mode: "+a.mode.Name, fmt.Sprintf("its promise is %s%s", a.mode.Promise, otherModes(a)))
	where := "each gets a volume of the default storage class"
	if a.mode.InMemory {
		where = "each keeps its data in memory"
	}
	y.line(2, fmt.Sprintf("nodes: %d", a.nodes), "members; "+where)
}

// otherModes is the end of a sentence that names them.
func otherModes(a *answers) string {
	others := slices.DeleteFunc(a.store.ModeNames(), func(name string) bool { return name == a.mode.Name })
	if len(others) == 0 {
		return ""
	}
	return "; others are " + strings.Join(others, ", ")
}

func (y *yamlLines) workload(a *answers) {
	chosen := a.workload
	if chosen.name == "" {
		chosen = presets[0]
	}
	y.line(1, "workloads:", "")
	y.line(1, "- name: "+strings.ToLower(chosen.name), "")
	y.line(2, "preset: "+chosen.name, chosen.mix)
	y.line(2, fmt.Sprintf("records: %d", records), "loaded before the measurement")
	y.line(2, fmt.Sprintf("duration: %ds", measureSeconds),
		fmt.Sprintf("measured time, without warm-up (%s) and cool-down (%s)", cmp.Or(a.store.Warmup, warmup), cooldown))
}

func (y *yamlLines) load(a *answers) {
	y.line(1, "load:", "")
	y.line(2, fmt.Sprintf("workers: %d", workers), "load-generator pods")
	if a.rate > 0 {
		y.line(2, fmt.Sprintf("rate: %d", a.rate), "operations/s of all workers: an open loop. Without it: a closed loop")
		return
	}
	y.line(2, fmt.Sprintf("threads: %d", threads), "clients of each worker: a closed loop. A rate in its place: an open loop")
}

func (y *yamlLines) fault(f *fault) {
	y.line(1, "faults:", "")
	y.line(1, "- name: "+faultName(f), "")
	y.line(2, "action: "+f.action.Name, f.meaning())
	y.line(2, fmt.Sprintf("target: {role: %s}", f.role), "chosen when the fault is due")
	y.line(2, fmt.Sprintf("at: %ds", faultAtSeconds), "after the warm-up, at least 10s before the end")
	if f.action.Lasts {
		y.line(2, fmt.Sprintf("duration: %ds", faultSeconds), "over at least 10s before the end")
	}
}

// faultName is an answer as a name in a spec: leader-pod-kill.
func faultName(f *fault) string {
	var name strings.Builder
	for i, c := range f.name {
		if i > 0 && c >= 'A' && c <= 'Z' {
			name.WriteByte('-')
		}
		name.WriteRune(c)
	}
	return strings.ToLower(name.String())
}

// yamlLines are lines with their comments in one column, as far as that is possible.
type yamlLines struct{ text strings.Builder }

const commentColumn = 27

func (y *yamlLines) comment(format string, args ...any) {
	fmt.Fprintf(&y.text, "# "+format+"\n", args...)
}

func (y *yamlLines) line(depth int, text, comment string) {
	text = strings.Repeat("  ", depth) + text
	if comment != "" {
		text = fmt.Sprintf("%-*s # %s", commentColumn, text, comment)
	}
	y.text.WriteString(text + "\n")
}
