package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// A worker has what the plan says that its store asks for, or ends with what is missing.
func TestAPodReadsWhatItsStoreAsksFor(t *testing.T) {
	folder := t.TempDir()
	p := plan.Plan{
		Format: plan.Format, Store: plan.Store{Name: "postgresql", Driver: "postgresql", Security: stores.SecurityAuth},
		Workloads: []plan.Workload{{Name: "a", Load: plan.Load{Workers: 1}}},
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	flags := workloadFlags{workload: "a"}
	flags.plan, flags.credentials = filepath.Join(folder, plan.FileName), folder
	if err := os.WriteFile(flags.plan, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := flags.job(); err == nil || !strings.Contains(err.Error(), "the store's credentials have no password") {
		t.Errorf("without a password: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, stores.FilePassword), []byte("hidden"), 0o600); err != nil {
		t.Fatal(err)
	}
	job, err := flags.job()
	if err != nil || job.Credentials == nil || job.Credentials.Password != "hidden" {
		t.Errorf("with one: %v", err)
	}
}
