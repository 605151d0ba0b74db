package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A query of a metric that nothing exports would draw nothing, for ever.
func TestQueriesUseDocumentedMetrics(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(runDashboard())
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`kvbench_[a-z_]+`).FindAllString(string(content), -1)
	if len(names) < 12 {
		t.Fatalf("only %d metrics: %v", len(names), names)
	}
	for _, name := range names {
		name = strings.TrimSuffix(name, "_bucket")
		if name != "kvbench_io_run" && !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("%s is no metric of docs/reference/metrics.md", name)
		}
	}
}
