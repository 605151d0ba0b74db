package workload

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

func integer(to *int64, text string, low, high int64) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < low || n > high {
		return fmt.Errorf("must be a whole number from %d to %d", low, high)
	}
	*to = n
	return nil
}

func count(to *int, text string, low, high int64) error {
	var n int64
	err := integer(&n, text, low, high)
	if err == nil {
		*to = int(n)
	}
	return err
}

func number(to *float64, text string, low, high float64) error {
	x, err := strconv.ParseFloat(text, 64)
	// Written so that NaN is outside.
	if err != nil || !(x >= low && x <= high) {
		return fmt.Errorf("must be a number from %g to %g", low, high)
	}
	*to = x
	return nil
}

// seconds are whole ones in YCSB; parts of one are taken as well.
func seconds(to *time.Duration, text string, low float64) error {
	var s float64
	if err := number(&s, text, low, 1e9); err != nil {
		return fmt.Errorf("%w, in seconds", err)
	}
	*to = time.Duration(math.Round(s * float64(time.Second)))
	return nil
}

// boolean takes true and false of any case, as Java does, and nothing else, which Java
// takes for false.
func boolean(to *bool, text string) error {
	switch strings.ToLower(text) {
	case "true":
		*to = true
	case "false":
		*to = false
	default:
		return errors.New("must be true or false")
	}
	return nil
}

func oneOf(to *string, text string, choices ...string) error {
	if !slices.Contains(choices, text) {
		return fmt.Errorf("must be one of %s", strings.Join(choices, ", "))
	}
	*to = text
	return nil
}

// name takes what may stand in a store's key.
func name(to *string, text string) error {
	if text == "" || len(text) > 64 {
		return errors.New("must have 1 to 64 characters")
	}
	for _, c := range text {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && !(c >= '0' && c <= '9') && c != '_' && c != '-' && c != '.' {
			return errors.New("must be of letters, digits, _, - and . alone")
		}
	}
	*to = text
	return nil
}

// list takes what stands between commas, without blanks.
func list(text string) []string {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
