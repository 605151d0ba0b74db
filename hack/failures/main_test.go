package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

// As Ginkgo writes it, with a root of suites.
const ginkgoFile = `<testsuites><testsuite name="End to end">
<testcase name="[It] passes" status="passed"></testcase>
<testcase name="[It] fails"><failure message="e2e-x did not end&#xA;Expected&#xA;  true" type="failed">[FAILED] e2e-x did not end&#xA;more</failure><system-err>a long log</system-err></testcase>
<testcase name="[It] is left out" status="skipped"><skipped message="skipped"></skipped></testcase>
<testcase name="[It] panics"><error message="nil" type="panicked">nil at here.go:3</error></testcase>
</testsuite></testsuites>`

// As gotestsum writes it.
const gotestsumFile = `<testsuites><testsuite name="pkg">
<testcase name="TestA"><failure message="Failed" type="">=== RUN   TestA&#xA;    a_test.go:3: want 1</failure></testcase>
</testsuite></testsuites>`

func TestFailuresAreToldWithTheirReason(t *testing.T) {
	var out strings.Builder
	err := failures(&out, fstest.MapFS{
		"e2e.xml":  {Data: []byte(ginkgoFile)},
		"unit.xml": {Data: []byte(gotestsumFile)},
		"notes.md": {Data: []byte("not a result")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `e2e: [It] fails
    e2e-x did not end
    Expected
      true
e2e: [It] panics
    nil at here.go:3
unit: TestA
    === RUN   TestA
        a_test.go:3: want 1
`
	if out.String() != want {
		t.Fatalf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestALongReasonIsCut(t *testing.T) {
	got := (&problem{Message: strings.Repeat("line\n", 40)}).why()
	if lines := strings.Count(got, "\n"); lines != maxLines+1 || !strings.HasSuffix(got, "… 24 more lines\n") {
		t.Fatalf("%d lines:\n%s", lines, got)
	}
}

func TestABrokenFileHidesNoOther(t *testing.T) {
	var out strings.Builder
	err := failures(&out, fstest.MapFS{"a.xml": {Data: []byte("<testsuites")}, "b.xml": {Data: []byte(gotestsumFile)}})
	if err == nil || !strings.Contains(err.Error(), "a.xml") || !strings.Contains(out.String(), "TestA") {
		t.Fatalf("%v\n%s", err, out.String())
	}
}
