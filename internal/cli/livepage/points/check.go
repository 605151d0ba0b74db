package points

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/kvbench/kvbench/internal/imported"
)

const (
	maxMillis = 8.64e15 // the last time that a date of JavaScript can have
	maxValue  = 1e15
)

// check returns the lines as the page reads them, and how many there are. Empty lines and the header are left out.
func check(text []byte) (kept []byte, points int, err error) {
	number := 0
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		number++
		line = bytes.TrimRight(line, "\r")
		if len(line) == 0 || bytes.Equal(line, bytes.TrimSpace([]byte(Header))) {
			continue
		}
		if err := checkLine(line); err != nil {
			return nil, 0, fmt.Errorf("line %d: %.60q: %w", number, line, err)
		}
		kept = append(append(kept, line...), '\n')
		points++
	}
	return kept, points, nil
}

func checkLine(line []byte) error {
	fields := bytes.Split(line, []byte(","))
	if len(fields) != 3 {
		return fmt.Errorf("it has %d fields, and a point has three: series,unixMillis,value", len(fields))
	}
	if err := imported.CheckName(string(fields[0])); err != nil {
		return fmt.Errorf("the series' name %w", err)
	}
	if fields[0][0] == '[' {
		return errors.New("the series' name begins with a bracket")
	}
	if millis, err := decimal(fields[1]); err != nil || millis < 0 || millis > maxMillis {
		return fmt.Errorf("%.40q is no time in milliseconds since 1970", fields[1])
	}
	if value, err := decimal(fields[2]); err != nil || math.Abs(value) > maxValue {
		return fmt.Errorf("%.40q is no number between -%g and %g", fields[2], maxValue, maxValue)
	}
	return nil
}

// number is one as the page reads it: strconv takes more, such as 0x1p3, 1_000 and Inf.
var number = regexp.MustCompile(`^-?\d{1,20}(\.\d{1,30})?([eE][+-]?\d{1,3})?$`)

func decimal(text []byte) (float64, error) {
	if !number.Match(text) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(string(text), 64)
}
