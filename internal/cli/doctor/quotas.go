package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/cli/kube"
)

// checkQuotas looks for quotas of the user's namespace that let no more in.
func checkQuotas(ctx context.Context, c *kube.Cluster) []Finding {
	quotas, err := c.Clients.CoreV1().ResourceQuotas(c.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return []Finding{unanswered(err, right{verb: "list", resource: "resourcequotas", namespace: c.Namespace})}
	}
	return judgeQuotas(c.Namespace, quotas.Items)
}

func judgeQuotas(namespace string, quotas []corev1.ResourceQuota) (findings []Finding) {
	for i := range quotas {
		quota := &quotas[i]
		var full []string
		for _, name := range slices.Sorted(maps.Keys(quota.Status.Hard)) {
			hard, used := quota.Status.Hard[name], quota.Status.Used[name]
			if used.Cmp(hard) >= 0 {
				full = append(full, fmt.Sprintf("%s: %s of %s", name, used.String(), hard.String()))
			}
		}
		if len(full) > 0 {
			findings = append(findings, warning(inNamespace(namespace), "the quota %s is full (%s)", quota.Name, few(full)).
				so("a run that needs more of it can't begin").mend("raise it, or remove what uses it up: kubectl -n %s describe resourcequota %s", namespace, quota.Name))
		}
	}
	switch {
	case findings != nil:
		return findings
	case len(quotas) == 0:
		return []Finding{ok(inNamespace(namespace), "there is none")}
	}
	return []Finding{ok(inNamespace(namespace), "none is full, of %d", len(quotas))}
}
