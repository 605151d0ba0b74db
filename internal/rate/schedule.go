package rate

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/plan"
)

// maxScheduleLine bounds a line of a schedule, in bytes.
const maxScheduleLine = 256

// ParseSchedule reads a rate from lines of "seconds,rate": from those seconds on, after the
// warm-up, so many operations/s of all workers, until the next line's. The last one holds.
// The first begins at 0. Empty lines, what begins with #, and a head "seconds,rate" are
// passed over. Errors begin with name and the line's number.
func ParseSchedule(name string, r io.Reader) (*plan.Shape, error) {
	shape := &plan.Shape{}
	var millis []int64
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxScheduleLine)
	number := 0
	for lines.Scan() {
		number++
		line := lines.Text()
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff") // a byte-order mark
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || number == 1 && line == "seconds,rate" {
			continue
		}
		at, rate, err := parseStep(line)
		switch last := len(millis) - 1; {
		case err != nil:
		case last < 0 && at != 0:
			err = fmt.Errorf("the first step begins after %g s, and has to begin at 0", float64(at)/1000)
		case last >= 0 && at <= millis[last]:
			err = fmt.Errorf("the step at %g s is not later than the one before", float64(at)/1000)
		case last+1 == MaxSegments:
			err = fmt.Errorf("more than %d steps", MaxSegments)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		millis = append(millis, at)
		shape.Segments = append(shape.Segments, plan.Segment{From: rate, To: rate, Millis: 1})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, number+1, err)
	}
	if len(millis) == 0 {
		return nil, fmt.Errorf("%s: no line of \"seconds,rate\"", name)
	}
	for i, next := range millis[1:] {
		shape.Segments[i].Millis = next - millis[i]
	}
	if err := Check(shape); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return shape, nil
}

// parseStep reads "seconds,rate"; seconds count to the millisecond.
func parseStep(line string) (millis int64, rate float64, err error) {
	seconds, text, ok := strings.Cut(line, ",")
	if !ok {
		return 0, 0, fmt.Errorf("%q is not \"seconds,rate\"", line)
	}
	at, err := strconv.ParseFloat(strings.TrimSpace(seconds), 64)
	if err != nil || !(at >= 0 && at <= MaxMillis/1000) {
		return 0, 0, fmt.Errorf("%q are not seconds from 0 to %d", seconds, MaxMillis/1000)
	}
	rate, err = strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(rate >= 0 && rate <= MaxRate) {
		return 0, 0, fmt.Errorf("%q is not a rate from 0 to %g", text, MaxRate)
	}
	return int64(math.Round(at * 1000)), rate, nil
}
