package main

import (
	"slices"
	"testing"
)

func TestNumbersOfThreadsAreRead(t *testing.T) {
	for text, want := range map[string][]int{
		"1": {1}, "1,16": {1, 16}, "1024": {1024},
		"": nil, "0": nil, "-1": nil, "1025": nil, "1,": nil, "two": nil, "1 16": nil,
	} {
		got, err := numbers(text)
		if (err != nil) != (want == nil) || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}
