package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// As Ginkgo writes it, with a root of suites.
const ginkgoFile = `<testsuites><testsuite name="End to end">
<testcase name="[It] passes" status="passed"></testcase>
<testcase name="[It] fails"><failure message="e2e-x did not end&#xA;Expected&#xA;  true" type="failed">[FAILED] e2e-x did not end&#xA;more&#xA;In [It] at: a_test.go:3</failure><system-err>a long log</system-err></testcase>
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
    In [It] at: a_test.go:3
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

func TestALongReasonIsCutInItsMiddle(t *testing.T) {
	var message strings.Builder
	for i := range 40 {
		fmt.Fprintf(&message, "line %d\n", i)
	}
	got := strings.Split((&problem{Message: message.String()}).why(), "\n")
	want := []string{"    line 0", "    line 7", "    … 16 lines more", "    line 24", "    line 39", ""}
	if at := []string{got[0], got[7], got[8], got[9], got[24], got[25]}; len(got) != 26 || !slices.Equal(at, want) {
		t.Fatalf("%d lines:\n%s", len(got), strings.Join(got, "\n"))
	}
}

func TestWhatBrokeIsLeftOfALongReason(t *testing.T) {
	lines := slices.Repeat([]string{"fine"}, 60)
	for i, line := range []string{
		"ERROR 12:06:20.001 JVMStabilityInspector Out of memory", "java.lang.OutOfMemoryError: Java heap space",
		"Caused by: java.io.IOException: broken", "panic: nil map", "2026-11-23 FATAL:  the database starts up", "no errors, and no exceptions",
	} {
		lines[20+i] = line
	}
	got := strings.Split((&problem{Message: strings.Join(lines, "\n")}).why(), "\n")
	want := []string{"    … 36 lines more, among them", "    ERROR 12:06:20.001 JVMStabilityInspector Out of memory", "    java.lang.OutOfMemoryError: Java heap space",
		"    Caused by: java.io.IOException: broken", "    panic: nil map", "    2026-11-23 FATAL:  the database starts up", "    …", "    fine"}
	if len(got) < 16 || !slices.Equal(got[8:16], want) {
		t.Fatalf("%s", strings.Join(got, "\n"))
	}
}

func TestMuchIsCut(t *testing.T) {
	one := `<testcase name="TestA"><failure message="` + strings.Repeat("x", 1000) + `"></failure></testcase>`
	var out strings.Builder
	if err := failures(&out, fstest.MapFS{"a.xml": {Data: []byte("<testsuite>" + strings.Repeat(one, 25) + "</testsuite>")}}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 2*maxTold+2 || lines[2*maxTold] != "… and 5 more that failed" {
		t.Fatalf("%d lines, at their end %q", len(lines), lines[len(lines)-2:])
	}
	if want := "    " + strings.Repeat("x", maxWidth) + "…"; lines[1] != want {
		t.Fatalf("%q", lines[1])
	}
}

func TestAFolderThatIsMissingIsAnError(t *testing.T) {
	if err := failures(io.Discard, os.DirFS(filepath.Join(t.TempDir(), "missing"))); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

func TestAFileThatWasCutOffSaysWhatWasBefore(t *testing.T) {
	var out strings.Builder
	err := failures(&out, fstest.MapFS{"a.xml": {Data: []byte(strings.TrimSuffix(gotestsumFile, "</testsuite></testsuites>"))}})
	if err == nil || !strings.Contains(out.String(), "want 1") {
		t.Fatalf("%v\n%s", err, out.String())
	}
}

func TestABrokenFileHidesNoOther(t *testing.T) {
	var out strings.Builder
	err := failures(&out, fstest.MapFS{"a.xml": {Data: []byte("<testsuites")}, "b.xml": {Data: []byte(gotestsumFile)}})
	if err == nil || !strings.Contains(err.Error(), "a.xml") || !strings.Contains(out.String(), "TestA") {
		t.Fatalf("%v\n%s", err, out.String())
	}
}
