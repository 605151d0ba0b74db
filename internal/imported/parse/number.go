package parse

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/imported"
)

// decimal is a number as the tools print it.
var decimal = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)(?:[eE]([+-]?[0-9]{1,3}))?$`)

// Powers of ten that make microseconds.
const (
	fromSeconds = 6
	fromMillis  = 3
	fromMicros  = 0
)

// scaled is the number times a power of ten: the float64 that is nearest to the exact product. NaN is nil: a tool that
// prints it has no value.
func scaled(text string, power int) (*float64, error) {
	if absent(text) {
		return nil, nil
	}
	parts := decimal.FindStringSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("%.40q is no number", text)
	}
	if parts[2] != "" {
		exponent, err := strconv.Atoi(parts[2])
		if err != nil {
			return nil, fmt.Errorf("%.40q is no number", text)
		}
		power += exponent
	}
	value, err := strconv.ParseFloat(parts[1]+"e"+strconv.Itoa(power), 64)
	if err != nil || value > imported.MaxMicros {
		return nil, fmt.Errorf("%.40q is too large", text)
	}
	return &value, nil
}

// number is the number itself.
func number(text string) (*float64, error) { return scaled(text, 0) }

// absent says that the tool has no value.
func absent(text string) bool {
	return text == "---" || strings.EqualFold(strings.TrimPrefix(text, "-"), "nan")
}

// whole is a count.
func whole(text string) (*int64, error) {
	value, err := number(text)
	if err != nil {
		return nil, err
	}
	if value == nil || *value != math.Trunc(*value) || *value > 1<<53 {
		return nil, fmt.Errorf("%.40q is no count", text)
	}
	n := int64(*value)
	return &n, nil
}

// duration is a Go or JavaScript duration, 1m2.5s or 117.5µs, in microseconds.
func duration(text string) (*float64, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return nil, fmt.Errorf("%.40q is no duration", text)
	}
	micros := float64(d) / float64(time.Microsecond)
	return &micros, nil
}

// percentile is a number as it stands in names of percentiles: 99, 99.9 or 99.900.
func percentile(text string) (float64, bool) {
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil && value >= 0 && value <= 100
}
