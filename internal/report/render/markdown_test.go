package render_test

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestTheReportSaysWhatTheWorkloadWas(t *testing.T) {
	for name, c := range map[string]struct {
		properties map[string]string
		trace      bool
		want       string
	}{
		"a mix": {
			properties: map[string]string{"readproportion": "0.5", "updateproportion": "0.5", "requestdistribution": "zipfian", "fieldcount": "5"},
			want:       "- Operations: 50 % READ, 50 % UPDATE\n- Keys: zipfian\n- Records: 1000, each with 5 fields of 100 bytes\n",
		},
		"scans": {
			properties: map[string]string{"readproportion": "0", "updateproportion": "0", "scanproportion": "1", "maxscanlength": "100"},
			want:       "- Operations: 100 % SCAN of 1 to 100 records (uniform)\n- Keys: uniform\n- Records: 1000, each with 10 fields of 100 bytes\n",
		},
		"lengths of a file": {
			properties: map[string]string{"fieldlengthdistribution": "histogram", "fieldlengthhistogram": "sizes_a|b"},
			want:       `- Records: 1000, each with 10 fields with lengths by the histogram of sizes_a\|b` + "\n",
		},
		"a trace": {
			properties: map[string]string{}, trace: true,
			want: "- Operations and keys: those of the trace\n- Records: 1000, each with 10 fields of 100 bytes\n",
		},
		"properties of another version": {
			properties: map[string]string{"newproportion": "1|", "readproportion": "1"},
			want:       "- Property newproportion: 1\\|\n- Property readproportion: 1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.Workload().Properties = c.properties
			if c.trace {
				s.Workload().Load.Arrivals, s.Workload().Load.Trace = plan.ArrivalsTrace, &plan.Trace{File: "day.csv", Rows: 9, Stretch: 1}
			}
			if text := string(render.Markdown(reporttest.Report(t, s.Build(t)))); !strings.Contains(text, c.want) {
				t.Errorf("%q is not in\n%s", c.want, text)
			}
		})
	}
}
