package render_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestBothTextsHaveTheVerdictTheStoreTheLoadAndTheFault(t *testing.T) {
	s := reporttest.NewSituation()
	s.Errors = []bundle.ErrorSeen{{Operation: "READ", Outcome: "failed", Code: "Unavailable", Count: 1, Example: "no leader"}}
	r := reporttest.Report(t, s.Build(t))
	for name, c := range map[string]struct {
		reasons []report.Reason
		verdict []string
	}{
		"valid":           {nil, []string{"valid"}},
		"for a reason":    {[]report.Reason{{Reason: report.GeneratorLag, Message: "too late"}}, []string{"NOT VALID", "too late"}},
		"for two reasons": {[]report.Reason{{Reason: report.GeneratorLag, Message: "too late"}, {Reason: report.GeneratorLag, Message: "again"}}, []string{"NOT VALID, for 2 reasons", "too late", "again"}},
	} {
		t.Run(name, func(t *testing.T) {
			r.InvalidReasons, r.Valid = c.reasons, len(c.reasons) == 0
			table, markdown := render.Table(r), string(render.Markdown(r))
			for _, text := range []string{table, markdown} {
				if strings.Contains(text, "NOT VALID") == r.Valid {
					t.Errorf("valid is %t in\n%s", r.Valid, text)
				}
				for _, want := range append(c.verdict, "leader-kill", "etcd v3.7.3 of quay.io/coreos/etcd, 3 members", "READ", "m-1 → m-2", "3.0", "open loop, 1000 operations/s") {
					if !strings.Contains(text, want) {
						t.Errorf("%q is missing in\n%s", want, text)
					}
				}
			}
			if slices.ContainsFunc(strings.Split(table, "\n"), func(line string) bool { return len(line) > 200 }) {
				t.Errorf("the table is too wide:\n%s", table)
			}
		})
	}
}
