package run

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/controllers/run/status"
)

// Whoever reads a reason finds it in the documentation.
func TestEveryReasonOfAFailureIsDocumented(t *testing.T) {
	literals := regexp.MustCompile(`\b[Ff]ail\("(\w+)"|Refusal\{Reason: "(\w+)"|resultsReason\(err, "(\w+)"\)|reason := "(\w+)"|\b(?:[Rr]eason[A-Z]\w+|TroubleKind)\s*= "(\w+)"`)
	reasons := map[string]string{}
	for _, file := range slices.Concat(sources(t, ".."), sources(t, "../../internal/compile")) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range literals.FindAllStringSubmatch(string(source), -1) {
			reasons[strings.Join(found[1:], "")] = file
		}
	}
	if len(reasons) < 30 {
		t.Fatalf("found only %v", reasons)
	}
	var pages string
	for _, page := range []string{"guide/troubleshooting.md", "reference/events.md"} {
		text, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		pages += string(text)
	}
	for reason, file := range reasons {
		if slices.Contains([]string{status.ReasonArming, status.ReasonResetting, status.ReasonLoading, status.ReasonNothingCreated}, reason) {
			continue // nothing is wrong, and no event has it
		}
		if !regexp.MustCompile(`\b` + reason + `\b`).MatchString(pages) {
			t.Errorf("%s says %s, which neither docs/guide/troubleshooting.md nor docs/reference/events.md has", file, reason)
		}
	}
}
