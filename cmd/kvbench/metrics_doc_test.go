package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every metric of every program is explained in docs/reference/metrics.md, and nothing else.
func TestEveryMetricIsDocumented(t *testing.T) {
	named := regexp.MustCompile(`(?:NewDesc\(|Name: )"(kvbench_[a-z_]+)"`)
	found := map[string]bool{}
	for _, folder := range []string{"../../controllers", "../../internal"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, match := range named.FindAllSubmatch(source, -1) {
				found[string(match[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 15 {
		t.Fatalf("found only %v", found)
	}
	page, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, match := range regexp.MustCompile("(?m)^\\| `(kvbench_[a-z_]+)`").FindAllSubmatch(page, -1) {
		documented[string(match[1])] = true
	}
	for name := range found {
		if !documented[name] {
			t.Errorf("docs/reference/metrics.md has no row for %s", name)
		}
	}
	for name := range documented {
		if !found[name] {
			t.Errorf("docs/reference/metrics.md has a row for %s, which nothing exports", name)
		}
	}
}

// Prometheus and its operator give every metric labels of its pod, and rename a metric's own of
// that name.
func TestNoMetricHasALabelOfItsPod(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(kvbench_[a-z_]+)` \\| [a-z]+: ([a-z_, ]+) \\|").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 5 {
		t.Fatalf("found only %v", rows)
	}
	for _, row := range rows {
		for _, label := range strings.Split(row[2], ", ") {
			switch label {
			case "namespace", "pod", "container", "job", "instance", "endpoint", "service", "node":
				t.Errorf("%s has the label %s", row[1], label)
			}
		}
	}
}
