package baseline

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/compare/comparetest"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/suite/findings"
)

func TestABaselineAsJSONIsTheServers(t *testing.T) {
	_, document := comparetest.Suite{Name: "nightly", Blocks: 3}.Documents(t)
	var printed bytes.Buffer
	if err := write(&printed, document, &output.Flag{Format: output.JSON}); err != nil || !bytes.Equal(printed.Bytes(), document) {
		t.Errorf("%v: %.80s", err, printed.String())
	}
}

func TestABaselineIsATableForPeople(t *testing.T) {
	_, document := comparetest.Suite{Name: "nightly", Blocks: 3}.Documents(t)
	var printed bytes.Buffer
	if err := write(&printed, document, &output.Flag{Format: output.Table}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(printed.String(), "\n")
	if !strings.Contains(lines[0], "the suite nightly") || !strings.HasPrefix(lines[2], "COMBINATION") || !strings.HasSuffix(lines[2], "TRIALS") {
		t.Errorf("its head: %q", lines[:3])
	}
	if !strings.Contains(printed.String(), "throughput in workload") || !strings.HasSuffix(strings.TrimSpace(lines[3]), "3") {
		t.Errorf("its figures:\n%s", printed.String())
	}
	if err := write(&printed, []byte(`{"format": 99}`), &output.Flag{Format: output.Table}); err == nil || !strings.Contains(err.Error(), "kubectl kvbench version") {
		t.Errorf("a baseline of another version: %v", err)
	}
}

func TestALowerBoundMayBeTheHighest(t *testing.T) {
	low, high := ends([]findings.Value{{Value: 9}, {Value: 4, Censored: true}, {Value: 6}})
	if text(low, "s") != "≥ "+text(&findings.Value{Value: 4}, "s") || text(high, "s") != "≥ "+text(&findings.Value{Value: 9}, "s") {
		t.Errorf("%s to %s", text(low, "s"), text(high, "s"))
	}
	if low, high := ends(nil); text(low, "s")+text(high, "s") != "" {
		t.Error("there is a range of nothing")
	}
}
