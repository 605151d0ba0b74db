package read

import (
	"math"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
)

func TestAFaultThatNoControllerCanHaveWrittenIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		line    bundle.FaultLine
		refused string
	}{
		"a partition":                       {bundle.FaultLine{Targets: []string{"m-1"}, Peers: []string{"m-0", "m-2"}, DurationMillis: 10_000, EndedAfterUnixNanos: 1, EndedBeforeUnixNanos: 2}, ""},
		"a clock that is surer than sure":   {bundle.FaultLine{ClockBoundNanos: -1}, "bound"},
		"it lasts less than no time":        {bundle.FaultLine{DurationMillis: -1}, "-1 ms"},
		"it lasts for longer than a run":    {bundle.FaultLine{DurationMillis: maxMillis + 1}, "ms"},
		"it ended when time overflows":      {bundle.FaultLine{EndedAfterUnixNanos: 1, EndedBeforeUnixNanos: math.MaxInt64}, "ended"},
		"more targets than members":         {bundle.FaultLine{Targets: make([]string, report.MaxMembers+1)}, "17 targets"},
		"more peers than members":           {bundle.FaultLine{Peers: make([]string, report.MaxMembers+1)}, "17 peers"},
		"a target with a name that is none": {bundle.FaultLine{Targets: []string{strings.Repeat("m", report.MaxName+1)}}, "260 bytes"},
		"a peer with a name that is none":   {bundle.FaultLine{Peers: []string{strings.Repeat("m", report.MaxName+1)}}, "260 bytes"},
	} {
		err := checkFault(&c.line)
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnEndThatCannotBeIsNotSeen(t *testing.T) {
	for name, c := range map[string]struct {
		after, before int64
		ended         bool
	}{
		"it ended":                      {20, 21, true},
		"nobody saw it":                 {0, 0, false},
		"it was asked for and not seen": {20, 0, false},
		"before the injection":          {9, 21, false},
		"before it was asked for":       {20, 19, false},
	} {
		line := bundle.FaultLine{InjectedAfterUnixNanos: 10, InjectedBeforeUnixNanos: 11, EndedAfterUnixNanos: c.after, EndedBeforeUnixNanos: c.before}
		if Ended(&line) != c.ended {
			t.Errorf("%s: ended is %t", name, !c.ended)
		}
	}
}
