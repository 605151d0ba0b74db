package compute_test

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestAReportNamesTheFilesOfItsRun(t *testing.T) {
	s := reporttest.NewSituation()
	s.Plan.Files = []plan.File{{Name: "traces_day.csv", ConfigMap: "traces", Key: "day.csv", SHA256: "5eed", Bytes: 20}}
	r := reporttest.Report(t, s.Build(t))
	if len(r.Files) != 1 || r.Files[0] != s.Plan.Files[0] {
		t.Errorf("files %+v", r.Files)
	}
	if text := string(render.Markdown(r)); !strings.Contains(text, "| traces_day.csv | traces | day.csv | 20 | 5eed |") {
		t.Errorf("the file is missing in\n%s", text)
	}
}
