package parse

import (
	"regexp"

	"github.com/kvbench/kvbench/internal/imported"
)

var (
	ycsbVersion = regexp.MustCompile(`^YCSB Client (\S{1,40})$`)
	// ycsbBegin tells YCSB's lines from those of drivers' logs, which begin with a thread: "[main] INFO".
	ycsbBegin = regexp.MustCompile(`^\[[^\]]*\],|^\[[A-Z][A-Za-z0-9_%-]*\]?$`)
	ycsbWhole = regexp.MustCompile(`^\[([^\]]+)\],\s*([^,]+),\s*(\S+)\s*$`)
)

// ycsbText reads what YCSB's TextMeasurementsExporter writes, with what YCSB prints around it.
func ycsbText(content []byte) (*imported.Measured, error) {
	y := newYCSB()
	lines := linesOf(content)
	for _, l := range lines {
		if version := ycsbVersion.FindStringSubmatch(l.text); version != nil {
			y.measured.ToolVersion = version[1]
		}
		if !ycsbBegin.MatchString(l.text) {
			continue
		}
		parts := ycsbWhole.FindStringSubmatch(l.text)
		if parts == nil {
			return nil, l.errorf("%.60q is not [metric], measurement, value: the file is cut off or garbled there", l.text)
		}
		if err := y.add(l.number, parts[1], parts[2], parts[3]); err != nil {
			return nil, l.errorf("%w", err)
		}
	}
	if err := checkEnd(lines); err != nil {
		return nil, err
	}
	return y.finish()
}
