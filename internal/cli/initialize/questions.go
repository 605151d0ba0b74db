package initialize

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// Defaults.
const (
	defaultStore = "etcd"
	defaultNodes = 3
	defaultRate  = 1000
	maxRate      = 10_000_000 // the API's
	closedLoop   = "closed"
)

// question is one that is asked, or answered by its key. Each relies on the answers to those before it.
type question struct {
	key      string
	text     string // "" is never asked
	explains func(*answers) string
	// options are what can be answered; nil where that can't be listed.
	options   func(*answers) []option
	byDefault func(*answers) string
	// take notes the answer. Its error says what is wrong, and what to answer instead.
	take func(*answers, string) error
}

// option is one answer, and what it means.
type option struct{ value, meaning string }

func says(text string) func(*answers) string { return func(*answers) string { return text } }

// questions are in the order in which they are asked.
var questions = []question{
	{
		key: "store", text: "Which store is to be measured?",
		explains:  says("kvbench deploys it for the run, and removes it afterwards."),
		options:   storeOptions,
		byDefault: func(*answers) string { return defaultStore },
		take:      takeStore,
	},
	{
		key:       "mode",
		options:   modeOptions,
		byDefault: func(a *answers) string { return a.store.DefaultMode },
		take:      takeMode,
	},
	{
		key: "nodes", text: "How many members does it have?",
		explains: func(a *answers) string {
			return fmt.Sprintf("Each is a pod. %s in its mode %s can have %s. From three on, most stores go on without one of them.",
				a.store.Name, a.mode.Name, a.mode.DescribeNodes())
		},
		byDefault: byDefaultNodes,
		take:      takeNodes,
	},
	{
		key: "workload", text: "Which workload?",
		explains:  says("It says what the clients do. A to F are YCSB's."),
		options:   workloadOptions,
		byDefault: func(*answers) string { return presets[0].name },
		take:      takeWorkload,
	},
	{
		key: "rate", text: "How many operations per second?",
		explains: says("A number is an open loop: operations begin at their times, whatever the store does. With " + closedLoop +
			", each client waits for an answer before it goes on."),
		byDefault: func(*answers) string { return strconv.Itoa(defaultRate) },
		take:      takeRate,
	},
	{
		key: "fault", text: "What is to break in the middle?",
		explains:  says("The report then says for how long clients were without service. Chaos Mesh has to be in the cluster."),
		options:   faultOptions,
		byDefault: byDefaultFault,
		take:      takeFault,
	},
}

func storeOptions(*answers) (options []option) {
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		mode, _ := entry.FindMode("")
		options = append(options, option{name, fmt.Sprintf("mode %s, promise %s", mode.Name, mode.Promise)})
	}
	return options
}

func takeStore(a *answers, value string) error {
	entry, exists := catalog.Find(value)
	if !exists || entry.Chart == "" {
		return errors.New("there is no such store: " + instead(value, catalog.Deployable()))
	}
	a.store = entry
	return nil
}

func modeOptions(a *answers) (options []option) {
	for i := range a.store.Modes {
		mode := &a.store.Modes[i]
		options = append(options, option{mode.Name, fmt.Sprintf("promise %s, %s members", mode.Promise, mode.DescribeNodes())})
	}
	return options
}

func takeMode(a *answers, value string) error {
	mode, exists := a.store.FindMode(value)
	if !exists {
		return fmt.Errorf("%s has no such mode: %s", a.store.Name, instead(value, a.store.DescribeModes()))
	}
	a.mode = mode
	return nil
}

// byDefaultNodes is the first number from the default on that the mode can have, or its highest.
func byDefaultNodes(a *answers) string {
	numbers := a.mode.Nodes
	at := slices.IndexFunc(numbers, func(n int) bool { return n >= defaultNodes })
	if at < 0 {
		at = len(numbers) - 1
	}
	return strconv.Itoa(numbers[at])
}

func takeNodes(a *answers, value string) error {
	nodes, err := strconv.Atoi(value)
	if err != nil || !a.mode.CanHave(nodes) {
		return fmt.Errorf("%s in its mode %s has %s members: answer with such a number", a.store.Name, a.mode.Name, a.mode.DescribeNodes())
	}
	a.nodes = nodes
	return nil
}

func takeRate(a *answers, value string) error {
	with := *a
	if with.rate = 0; !strings.EqualFold(value, closedLoop) {
		rate, err := strconv.ParseInt(value, 10, 64)
		if err != nil || rate < 1 || rate > maxRate {
			return fmt.Errorf("a rate is a whole number from 1 to %d, and a closed loop is %s: answer with one of them", maxRate, closedLoop)
		}
		with.rate = rate
	}
	if err := with.possible(); err != nil {
		return errors.New(reason(err))
	}
	*a = with
	return nil
}

// reason is why answers make no run, without the word that conditions have for it.
func reason(err error) string {
	var refused *compile.Refusal
	if errors.As(err, &refused) {
		return refused.Message
	}
	return err.Error()
}
