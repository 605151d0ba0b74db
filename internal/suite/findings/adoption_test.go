package findings

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// adopting is the suite whose first trials are runs of an earlier one.
func adopting(m *manifest.Manifest, trials int) *manifest.Manifest {
	m.Adoption = &manifest.Adoption{Suite: "earlier", Changed: true}
	for i := range m.Trials[:trials] {
		last := len(m.Trials[i].Attempts) - 1
		m.Trials[i].Attempts[last].Adopted = true
	}
	return m
}

func TestAReportSaysWhatOfItIsOfAnEarlierSuite(t *testing.T) {
	r := must(t, adopting(suiteOf(8), 5), runsBy(twice))
	if a := r.Adoption; a == nil || a.Suite != "earlier" || !a.Changed || a.Trials != 5 || a.MixedBlocks != 1 {
		t.Fatalf("%+v", a)
	}
	said := strings.Join(r.Warnings, "\n")
	for _, want := range []string{
		"5 trials are runs of an earlier suite of this name, with the UID earlier; of 1 of the blocks only some trials are",
		"the number of trials, the objectives or the comparison are others than the earlier suite's",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no word of %q in %s", want, said)
		}
	}
	nothing := suiteOf(8)
	nothing.Adoption = &manifest.Adoption{}
	if r := must(t, nothing, runsBy(twice)); r.Adoption != nil || strings.Contains(strings.Join(r.Warnings, ""), "earlier") {
		t.Errorf("of a suite that took over nothing: %+v, %q", r.Adoption, r.Warnings)
	}
}
