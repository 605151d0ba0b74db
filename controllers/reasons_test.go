package controllers

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Whoever reads a reason finds it in the documentation.
func TestEveryReasonOfAFailureIsDocumented(t *testing.T) {
	literals := regexp.MustCompile(`\bfail\("(\w+)"|Refusal\{Reason: "(\w+)"|resultsReason\(err, "(\w+)"\)|reason := "(\w+)"|\b(?:reason[A-Z]\w+|troubleKind)\s*= "(\w+)"`)
	reasons := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := filepath.Glob("../internal/compile/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, compiled...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
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
		text, err := os.ReadFile("../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		pages += string(text)
	}
	for reason, file := range reasons {
		if slices.Contains([]string{reasonArming, reasonResetting, reasonLoading, reasonNothingCreated}, reason) {
			continue // nothing is wrong, and no event has it
		}
		if !regexp.MustCompile(`\b` + reason + `\b`).MatchString(pages) {
			t.Errorf("%s says %s, which neither docs/guide/troubleshooting.md nor docs/reference/events.md has", file, reason)
		}
	}
}
