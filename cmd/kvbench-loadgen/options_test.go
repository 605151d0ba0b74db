package main

import (
	"slices"
	"strings"
	"testing"
)

func TestOptionsOfYCSBAreUnderstoodOrRefused(t *testing.T) {
	for line, want := range map[string]string{
		"run basic -threads 2 -target 5 -label x":   "run basic --threads 2 --target 5 --label x",
		"run basic -s -l x -P file -p a=b --load":   "run basic -s -l x -P file -p a=b --load",
		"run basic -l=x -s=false":                   "run basic -l=x -s=false",
		"run basic -l -load -p -t -P -db -label -t": "run basic -l -load -p -t -P -db --label -t",
		"run basic -- -load":                        "run basic -- -load",
		"run basic -load":                           "",
		"run basic -lload":                          "",
		"run basic -t":                              "",
	} {
		args := strings.Fields(line)
		got, err := withTwoDashes(args)
		if text := strings.Join(got, " "); text != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", line, text, err)
		}
		if !slices.Equal(args, strings.Fields(line)) {
			t.Errorf("%s was changed", line)
		}
	}
}
