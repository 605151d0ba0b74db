package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestAProgramWithoutAVersionSaysSo(t *testing.T) {
	command, printed := newVersionCommand(), &bytes.Buffer{}
	command.SetOut(printed)
	command.SetArgs([]string{})
	if err := command.Execute(); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(printed.String(), "kvbench built without a version (") {
		t.Errorf("%q", printed)
	}
}

func TestTheVersionOfACommitIsTheReleaseAndTheCommit(t *testing.T) {
	printed, err := exec.Command("../../hack/version.sh").Output()
	if err != nil {
		t.Fatal(err)
	}
	chart, err := os.ReadFile("../../charts/kvbench/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, release, _ := strings.Cut(string(chart), "\nappVersion: ")
	release, _, _ = strings.Cut(release, "\n")
	if version := strings.TrimSpace(string(printed)); version != release && !strings.HasPrefix(version, release+"+") {
		t.Errorf("%q, and the chart is of %q", version, release)
	}
}
