package report

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

func TestValidityTableHasTheLimits(t *testing.T) {
	data, err := os.ReadFile("../../docs/reference/validity.md")
	if err != nil {
		t.Fatal(err)
	}
	table := string(data)
	milliseconds := func(micros int64) string { return fmt.Sprintf("%d ms", micros/1000) }
	seconds := func(d time.Duration) string { return fmt.Sprintf("%d s", d/time.Second) }
	for _, row := range [][]string{
		{RateNotAchieved, fmt.Sprintf("%.0f %%", 100*minAchievedRate), "sent at most " + milliseconds(maxLagMicros) + " late"},
		{RateNotAchieved, fmt.Sprintf("%.0f %%", 100*minScheduledRate), fmt.Sprintf("%d standard deviations", poissonSigmas)},
		{GeneratorLag, milliseconds(maxLagP99Micros), "p99 over the measurement"},
		{GeneratorLag, milliseconds(maxLagMicros), "each"},
		{GeneratorLag, fmt.Sprintf("%.0f %%", 100*maxLagShare), fmt.Sprintf("the median lag, as a share of each operation's median response time; %s is always allowed", milliseconds(lagFloorMicros))},
		{GeneratorLag, fmt.Sprintf("%.0f %%", 100*maxOwnOfSlots), fmt.Sprintf("where %.0f %% of the operations waited", 100*minWaited)},
		{GeneratorSaturated, fmt.Sprintf("%.0f %%", 100*minWaited), fmt.Sprintf("waited in seconds in which it had less than %.0f %% of its cores to spare", 100*(1-maxCoreShare))},
		{NothingJudged, "1", "could be judged"},
		{ArrivalsSkewed, fmt.Sprint(maxSkew), fmt.Sprintf("%.1f/√n for chance", math.Sqrt(math.Log(2/skewChance)/2))},
		{GeneratorPaused, milliseconds(maxGCPauseMicros), fmt.Sprintf("garbage collection in a second of a worker; in %.0f %% of the seconds more is allowed, and in %d seconds always", 100*maxBadSeconds, badSecondsFloor)},
		{GeneratorPaused, fmt.Sprintf("%.0f %%", 100*maxCollecting), "of a worker's cores"},
		{GeneratorStarved, milliseconds(maxThrottledMicros), "quota"},
		{GeneratorStarved, fmt.Sprintf("%.0f %%", 100*maxLongWaits), "long waits of a worker's threads for cores that others had, of " + milliseconds(bundle.LongWaitMicros)},
		{GeneratorStarved, fmt.Sprintf("%.0f %%", 100*maxWaitedOfCores), "that a worker's threads can use in a closed loop"},
		{GeneratorStarved, milliseconds(maxWaitMicros), "each such wait"},
		{GeneratorStopped, milliseconds(maxStoppedMicros), "neither ran nor waited"},
		{GeneratorPaused, fmt.Sprintf("%.0f %%", 100*maxLost), fmt.Sprintf("of the measurement: all garbage collection of a worker; %s is always allowed", milliseconds(lostFloorMicros))},
		{GeneratorStarved, fmt.Sprintf("%.0f %%", 100*maxLost), "of the measurement: all time of a worker without CPU, by quota"},
		{GeneratorStopped, fmt.Sprintf("%.0f %%", 100*maxLost), "of the measurement: the longest such time of each second, added up"},
		{LogDelayed, seconds(maxWriteMicros * time.Microsecond), "disk"},
		{LogDelayed, seconds(maxLengthMicros * time.Microsecond), "until it wrote down"},
		{ClockUncertain, fmt.Sprintf("%d ms", maxClockBound/time.Millisecond), "clock"},
		{ClockStepped, seconds(maxClockStep), "clock"},
		{TopologyGap, seconds(maxTopologyGap), "from " + seconds(topologyLead) + " before"},
		{NotWholeAtStart, seconds(maxNotWhole), "before the begin of a measurement"},
	} {
		found := false
		for line := range strings.Lines(table) {
			found = found || strings.HasPrefix(line, fmt.Sprintf("| `%s` | %s |", row[0], row[1])) && strings.Contains(line, row[2])
		}
		if !found {
			t.Errorf("docs/reference/validity.md has no row for %q", row)
		}
	}
}

func TestEveryReasonIsDocumented(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "reasons.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
				reason, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				reasons = append(reasons, reason)
			}
		}
		return true
	})
	if len(reasons) < 10 {
		t.Fatalf("found only %v", reasons)
	}
	for _, document := range []struct{ file, quote string }{{"../../docs/reference/validity.md", "`"}, {schemaFile, `"`}} {
		data, err := os.ReadFile(document.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, reason := range reasons {
			if !strings.Contains(string(data), document.quote+reason+document.quote) {
				t.Errorf("%s does not name %s", document.file, reason)
			}
		}
	}
}
