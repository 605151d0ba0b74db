package suite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Looks are the numbers of blocks after which a suite looks at its figures, and the confidence of the intervals at each. A suite
// with a number of trials looks once, at its end.
func Looks(spec *v1alpha1.BenchmarkSuiteSpec) (looks []int, confidence float64, err error) {
	if spec.Trials.Until == nil {
		return []int{Trials(spec)}, manifest.Confidence, nil
	}
	looks, confidence, err = stats.Looks(or(spec.Trials.Min, defaultTrials), Trials(spec), manifest.Confidence)
	if err != nil {
		return nil, 0, fmt.Errorf("spec.trials.min: %w: raise min, or lower max", err)
	}
	return looks, confidence, nil
}

// Blocks is how many blocks are made until the next look, as far as the status has come. The spec has been expanded without
// problems.
func Blocks(of *v1alpha1.BenchmarkSuite) int {
	looks, _, err := Looks(&of.Spec)
	if err != nil {
		return Trials(&of.Spec)
	}
	if blocks := int(of.Status.Blocks); slices.Contains(looks, blocks) {
		return blocks
	}
	return looks[0]
}

// NextLook is the number of blocks at the look after the present one; false if that is the last one.
func NextLook(of *v1alpha1.BenchmarkSuite) (blocks int, further bool) {
	looks, _, err := Looks(&of.Spec)
	if err != nil {
		return 0, false
	}
	at := slices.Index(looks, Blocks(of))
	if at < 0 || at+1 == len(looks) {
		return 0, false
	}
	return looks[at+1], true
}

// Until is what the suite has to know before it may end early; nil if it has a number of trials.
func Until(spec *v1alpha1.BenchmarkSuiteSpec) *manifest.Until {
	until := spec.Trials.Until
	if until == nil {
		return nil
	}
	halfWidth, _ := partOf(until.HalfWidth) // the API server's rule has refused what is none
	return &manifest.Until{Metric: until.Metric, Operation: until.Operation, HalfWidth: halfWidth}
}

// partOf reads a percentage, such as 5%, as a part of 1.
func partOf(percentage string) (part float64, is bool) {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(percentage, "%"), 64)
	return percent / 100, err == nil
}
