package source

import (
	"errors"
	"fmt"
	"strings"
)

// Reference is what an argument names: a file, or something of the cluster.
type Reference struct {
	// File is a path, or - for standard input; "" for a name.
	File string
	// Kind is "" for a run or a suite, whichever has the name.
	Kind Kind
	Name string
}

// Parse reads an argument. It looks at the text alone, so that a file that happens to be there changes nothing: a path begins
// with / or ./ or ../, or ends in .json.
func Parse(argument string) (Reference, error) {
	if kind, name, has := strings.Cut(argument, "/"); has {
		if of, known := kinds[kind]; known {
			if name == "" || strings.Contains(name, "/") {
				return Reference{}, fmt.Errorf("%q names no %s: write %s/NAME, or ./%s for a file", argument, of, of, argument)
			}
			return Reference{Kind: of, Name: name}, nil
		}
	}
	switch {
	case argument == "":
		return Reference{}, errors.New("an argument is empty: write a name, or the path of a file")
	case argument == "-", strings.HasPrefix(argument, "/"), strings.HasPrefix(argument, "./"), strings.HasPrefix(argument, "../"), strings.HasSuffix(argument, ".json"):
		return Reference{File: argument}, nil
	case strings.Contains(argument, "/"):
		return Reference{}, fmt.Errorf("%q is not a name: write NAME, run/NAME, suite/NAME or baseline/NAME, or ./%s for a file", argument, argument)
	}
	return Reference{Name: argument}, nil
}

// kinds are those of kubectl kvbench's other verbs, and baselines.
var kinds = map[string]Kind{
	"run": Run, "runs": Run, "benchmarkrun": Run, "benchmarkruns": Run, "kvb": Run,
	"suite": Suite, "suites": Suite, "benchmarksuite": Suite, "benchmarksuites": Suite,
	"baseline": Baseline, "baselines": Baseline,
}
