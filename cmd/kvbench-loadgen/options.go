package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kvbench/kvbench/internal/ycsb"
)

// ofYCSB are options of YCSB's Java client that are said in another way here. A library for options
// would read them as short ones that are written together.
var ofYCSB = map[string]string{
	"-load": "use the command load, as in kvbench-loadgen load STORE",
	"-t":    "use the command run, as in kvbench-loadgen run STORE",
	"-db":   "name the store after the command, as in kvbench-loadgen run STORE",
}

// withTwoDashes takes bin/ycsb's long options, which have one dash. It refuses those that would be read
// as something else.
func withTwoDashes(args []string) ([]string, error) {
	args = slices.Clone(args)
	for i, arg := range args {
		if i > 0 && takesNext(args[i-1]) {
			continue // it is the value of that
		}
		how, refused := ofYCSB[arg]
		switch {
		case arg == "--":
			return args, nil
		case arg == "-threads" || arg == "-target" || arg == "-label":
			args[i] = "-" + arg
		case refused:
			return nil, ycsb.Refuse("%s: %s", arg, how)
		case strings.HasPrefix(arg, "-l") && len(arg) > len("-l") && arg[len("-l")] != '=':
			return nil, ycsb.Refuse("there is no option %s; for a label write -l LABEL", arg)
		}
	}
	return args, nil
}

// takesNext says whether what follows is the option's value, whatever it looks like.
func takesNext(option string) bool {
	return slices.Contains([]string{"-l", "-p", "-P", "-label", "--label", "--prop", "--property_file"}, option)
}

// optionError says of a wrong value what it must be.
func optionError(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return ycsb.BadInput{Cause: err}
	}
	flag := invalid.GetFlag()
	wanted, known := valueOf[flag.Value.Type()]
	if !known {
		return ycsb.BadInput{Cause: err}
	}
	return ycsb.Refuse("--%s=%s: must be %s", flag.Name, invalid.GetValue(), wanted)
}

// valueOf are the values of options, by their types.
var valueOf = map[string]string{
	"bool": "true or false", "duration": "a time with its unit, such as 10s or 500ms", "float64": "a number",
	"float64Slice": "numbers with commas between them", "int": "a whole number", "intSlice": "whole numbers with commas between them",
	"uint64": "a whole number that is not negative",
}
