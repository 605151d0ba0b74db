package limits

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
)

func TestValidityTableHasTheLimits(t *testing.T) {
	data, err := os.ReadFile("../../../docs/reference/validity.md")
	if err != nil {
		t.Fatal(err)
	}
	table := string(data)
	milliseconds := func(micros int64) string { return fmt.Sprintf("%d ms", micros/1000) }
	seconds := func(d time.Duration) string { return fmt.Sprintf("%d s", d/time.Second) }
	for _, row := range [][]string{
		{report.RateNotAchieved, fmt.Sprintf("%.0f %%", 100*MinAchievedRate), "sent at most " + milliseconds(MaxLagMicros) + " late"},
		{report.RateNotAchieved, fmt.Sprintf("%.0f %%", 100*MinScheduledRate), fmt.Sprintf("%d standard deviations", PoissonSigmas)},
		{report.GeneratorLag, milliseconds(MaxLagP99Micros), "p99 over the measurement"},
		{report.GeneratorLag, milliseconds(MaxLagMicros), "each"},
		{report.GeneratorLag, fmt.Sprintf("%.0f %%", 100*MaxLagShare), fmt.Sprintf("the median lag, as a share of each operation's median response time; %s is always allowed", milliseconds(LagFloorMicros))},
		{report.GeneratorLag, fmt.Sprintf("%.0f %%", 100*MaxOwnOfSlots), fmt.Sprintf("where %.0f %% of the operations waited", 100*MinWaited)},
		{report.GeneratorSaturated, fmt.Sprintf("%.0f %%", 100*MinWaited), fmt.Sprintf("waited in seconds in which it had less than %.0f %% of its cores to spare", 100*(1-MaxCoreShare))},
		{report.NothingJudged, "1", "could be judged"},
		{report.ArrivalsSkewed, fmt.Sprint(MaxSkew), fmt.Sprintf("%.1f/√n for chance", math.Sqrt(math.Log(2/SkewChance)/2))},
		{report.GeneratorPaused, milliseconds(MaxGCPauseMicros), fmt.Sprintf("garbage collection in a second of a worker; in %.0f %% of the seconds more is allowed, and in %d seconds always", 100*MaxBadSeconds, BadSecondsFloor)},
		{report.GeneratorPaused, fmt.Sprintf("%.0f %%", 100*MaxCollecting), "of a worker's cores"},
		{report.GeneratorStarved, milliseconds(MaxThrottledMicros), "quota"},
		{report.GeneratorStarved, fmt.Sprintf("%.0f %%", 100*MaxLongWaits), "long waits of a worker's threads for cores that others had, of " + milliseconds(bundle.LongWaitMicros)},
		{report.GeneratorStarved, fmt.Sprintf("%.0f %%", 100*MaxWaitedOfCores), "that a worker's threads can use in a closed loop"},
		{report.GeneratorStarved, milliseconds(MaxWaitMicros), "each such wait"},
		{report.GeneratorStopped, milliseconds(MaxStoppedMicros), "neither ran nor waited"},
		{report.GeneratorPaused, fmt.Sprintf("%.0f %%", 100*MaxLost), fmt.Sprintf("of the measurement: all garbage collection of a worker; %s is always allowed", milliseconds(LostFloorMicros))},
		{report.GeneratorStarved, fmt.Sprintf("%.0f %%", 100*MaxLost), "of the measurement: all time of a worker without CPU, by quota"},
		{report.GeneratorStopped, fmt.Sprintf("%.0f %%", 100*MaxLost), "of the measurement: the longest such time of each second, added up"},
		{report.LogDelayed, seconds(MaxWriteMicros * time.Microsecond), "disk"},
		{report.LogDelayed, seconds(MaxLengthMicros * time.Microsecond), "until it wrote down"},
		{report.ClockUncertain, fmt.Sprintf("%d ms", MaxClockBound/time.Millisecond), "clock"},
		{report.ClockStepped, seconds(MaxClockStep), "clock"},
		{report.FaultDurationMissed, fmt.Sprintf("%.0f %%", 100*MaxDurationOff), seconds(DurationOffFloor) + " is always allowed"},
		{report.TopologyGap, seconds(MaxTopologyGap), "from " + seconds(TopologyLead) + " before"},
		{report.NotWholeAtStart, seconds(MaxNotWhole), "before the begin of a measurement"},
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
