package integration

import (
	"context"
	"encoding/json"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/prometheus/promql/parser"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// alerts are a PrometheusRule's.
type alerts struct {
	Spec struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
}

var _ = Describe("The chart's alerts", Ordered, Label("monitors"), func() {
	BeforeAll(func(ctx context.Context) { installMonitoring(ctx) })

	It("are the operator's, with expressions of documented metrics", func(ctx context.Context) {
		objects := chartObjects(monitoringValues(), "PrometheusRule")
		Expect(objects).To(HaveLen(1))
		Expect(k8sClient.Create(ctx, objects[0], client.FieldValidation(metav1.FieldValidationStrict))).To(Succeed())
		DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, objects[0])).To(Succeed()) })
		Expect(objects[0].GetLabels()).To(HaveKeyWithValue("release", "prometheus"))
		var rules alerts
		text, err := objects[0].MarshalJSON()
		Expect(err).NotTo(HaveOccurred())
		Expect(json.Unmarshal(text, &rules)).To(Succeed())
		page, err := os.ReadFile(fromRoot("docs", "reference", "metrics.md"))
		Expect(err).NotTo(HaveOccurred())
		var names []string
		for _, rule := range rules.Spec.Groups[0].Rules {
			names = append(names, rule.Alert)
			Expect(string(page)).To(ContainSubstring("`" + rule.Alert + "`"))
			Expect(time.ParseDuration(rule.For)).To(BeNumerically(">=", time.Minute), rule.Alert)
			Expect(rule.Labels).To(HaveKey("severity"))
			Expect(rule.Annotations).To(And(HaveKey("summary"), HaveKey("description")))
			parsed, err := parser.NewParser(parser.Options{}).ParseExpr(rule.Expr)
			Expect(err).NotTo(HaveOccurred(), rule.Expr)
			parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
				if selector, ok := node.(*parser.VectorSelector); ok && selector.Name != "up" {
					Expect(string(page)).To(ContainSubstring("`"+selector.Name+"`"), rule.Alert)
				}
				return nil
			})
		}
		Expect(names).To(HaveLen(5))
	})

	It("are left out when nobody wants them", func() {
		values := monitoringValues()
		values["metrics"].(map[string]any)["rules"] = map[string]any{"enabled": false}
		Expect(chartObjects(values, "PrometheusRule")).To(BeEmpty())
	})
})
