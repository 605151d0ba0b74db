package main

import (
	"os"
	"path/filepath"
	"testing"

	chartcommon "helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

func TestParseImageSplitsAtTheTag(t *testing.T) {
	for reference, want := range map[string]image{
		"ghcr.io/kvbench/kvbench:v1": {"ghcr.io/kvbench/kvbench", "v1"},
		"localhost:5000/kvbench:dev": {"localhost:5000/kvbench", "dev"},
		"kvbench:dev":                {"kvbench", "dev"},
		"localhost:5000/kvbench":     {},
		"kvbench":                    {},
		":dev":                       {},
		"kvbench@sha256:00":          {},
	} {
		got, err := parseImage(reference)
		if got != want || (err == nil) != (want != image{}) {
			t.Errorf("%s: got %v, %v; want %v", reference, got, err, want)
		}
	}
}

func TestContentTagChangesOnlyWithThePrograms(t *testing.T) {
	tag := func(loadgen string) string {
		dir := t.TempDir()
		for name, content := range map[string]string{"kvbench": "1", "kvbench-loadgen": loadgen} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		got, err := contentTag(dir)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if tag("2") != tag("2") {
		t.Error("the same programs have two tags")
	}
	if tag("2") == tag("3") {
		t.Error("other programs have the same tag")
	}
}

func TestContentHashChangesWithChartAndValues(t *testing.T) {
	hash := func(template, value string) string {
		c := &chart.Chart{Raw: []*chartcommon.File{{Name: "templates/a.yaml", Data: []byte(template)}}}
		got, err := contentHash(c, map[string]any{"image": value, "other": 1})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if hash("a", "1") != hash("a", "1") {
		t.Error("the same release has two hashes")
	}
	if hash("a", "1") == hash("b", "1") || hash("a", "1") == hash("a", "2") {
		t.Error("another release has the same hash")
	}
	if len(hash("a", "1")) > 63 {
		t.Error("too long for a label")
	}
}
