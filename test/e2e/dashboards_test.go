//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// expectScraped compares some answers with what is so of the run, whose three members are loaded with 100 operations/s.
func expectScraped(ctx context.Context, server prometheus) {
	GinkgoHelper()
	By("choosing the run, as the dashboards' variable does")
	var ids []string
	Eventually(func() ([]string, error) {
		var err error
		ids, err = server.labelValues(ctx, readDashboards(ctx)["kvbench-run"].variables["run"])
		return ids, err
	}).WithContext(ctx).WithTimeout(15*time.Second).Should(HaveLen(1), "one run was measured since Prometheus is there")

	By("comparing some of the answers with what is so")
	Expect(server.query(ctx, "kvbench_no_such_metric")).To(BeEmpty())
	// A scrape that came too late leaves a second without them.
	Eventually(func() ([]sample, error) {
		return server.query(ctx, fmt.Sprintf(`max by (member) (kvbench_member_up{kvbench_io_run=%q})`, ids[0]))
	}).WithContext(ctx).WithTimeout(15*time.Second).Should(And(HaveLen(3), HaveEach(HaveField("Value", "1"))), "each member is up")
	Eventually(func() ([]sample, error) {
		return server.query(ctx, fmt.Sprintf(`abs(sum(rate(kvbench_operations_total{kvbench_io_run=%q,outcome="ok"}[10s])) - 100) < 20`, ids[0]))
	}).WithContext(ctx).WithTimeout(20*time.Second).Should(HaveLen(1), "the rate is 100 operations/s")
	for _, metric := range []string{"kvbench_operation_response_seconds", "kvbench_operation_response_seconds_bucket"} {
		Eventually(func() ([]sample, error) {
			return server.query(ctx, fmt.Sprintf(`count(%s{kvbench_io_run=%q,store="etcd",workload!=""})`, metric, ids[0]))
		}).WithContext(ctx).WithTimeout(15*time.Second).Should(HaveLen(1), "native histograms and classic ones: %s", metric)
	}
}

// expectDashboards wants an answer for each query of each dashboard at some moment since the begin, of a run that had a
// fault and ended.
func expectDashboards(ctx context.Context, server prometheus, id string, begin time.Time) {
	GinkgoHelper()
	// As Grafana fills them in: all series are scraped once a second.
	filled := strings.NewReplacer("$__rate_interval", "4s", "$__range", "600s", "$run", id, "$workload", ".*", "$after", "60", "$scrape", "1s")
	dashboards := readDashboards(ctx)
	Expect(dashboards).To(HaveLen(5))
	asked, foreign := 0, 0
	for uid, one := range dashboards {
		for _, query := range one.queries {
			if strings.Contains(query, "container_") {
				foreign++ // cAdvisor's, for a Prometheus that scrapes kubelets; this one doesn't
				continue
			}
			asked++
			Eventually(func() (bool, error) {
				series, err := server.queryRange(ctx, filled.Replace(query), begin, time.Now())
				return slices.ContainsFunc(series, rangeOf.tells), err
			}).WithContext(ctx).WithTimeout(15*time.Second).Should(BeTrue(), "%s: %s", uid, query)
		}
	}
	Expect(foreign).To(Equal(3))
	Expect(asked).To(BeNumerically(">=", 100))
}

// asking is what a dashboard asks its data source for.
type asking struct {
	variables map[string]string // query of each that has one
	queries   []string          // of the panels and the annotations
}

// parsedPanel is one, or a row with those that are folded below it.
type parsedPanel struct {
	Targets []struct{ Expr string }
	Panels  []parsedPanel
}

// readDashboards reads the dashboards as Grafana's sidecar finds them: in ConfigMaps with the sidecar's label.
func readDashboards(ctx context.Context) map[string]asking {
	GinkgoHelper()
	maps := &corev1.ConfigMapList{}
	Expect(k8s.List(ctx, maps, client.InNamespace(systemNamespace), client.MatchingLabels{"grafana_dashboard": "1"})).To(Succeed())
	found := map[string]asking{}
	for _, held := range maps.Items {
		Expect(held.Data).To(HaveLen(1), held.Name)
		for _, text := range held.Data {
			uid, one := readDashboard(text)
			Expect(found).NotTo(HaveKey(uid))
			found[uid] = one
		}
	}
	return found
}

func readDashboard(text string) (uid string, found asking) {
	GinkgoHelper()
	var parsed struct {
		UID         string
		Panels      []parsedPanel
		Annotations struct{ List []struct{ Expr string } }
		Templating  struct {
			List []struct {
				Name  string
				Query any
			}
		}
	}
	Expect(json.Unmarshal([]byte(text), &parsed)).To(Succeed())
	var add func(panels []parsedPanel)
	add = func(panels []parsedPanel) {
		for _, panel := range panels {
			for _, target := range panel.Targets {
				found.queries = append(found.queries, target.Expr)
			}
			add(panel.Panels)
		}
	}
	add(parsed.Panels)
	for _, annotation := range parsed.Annotations.List {
		found.queries = append(found.queries, annotation.Expr)
	}
	found.variables = map[string]string{}
	for _, variable := range parsed.Templating.List {
		if query, ok := variable.Query.(map[string]any); ok {
			found.variables[variable.Name] = query["query"].(string)
		}
	}
	return parsed.UID, found
}
