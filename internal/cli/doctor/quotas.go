package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// ofRuns are the resources of quotas that runs use. A quota that allows none of them keeps runs out, and none of others does not.
var ofRuns = []corev1.ResourceName{
	corev1.ResourcePods, corev1.ResourceServices, corev1.ResourceConfigMaps, corev1.ResourceSecrets, corev1.ResourcePersistentVolumeClaims,
	corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory, corev1.ResourceLimitsCPU,
	corev1.ResourceLimitsMemory, corev1.ResourceRequestsStorage,
	"count/pods", "count/services", "count/configmaps", "count/secrets", "count/persistentvolumeclaims", "count/jobs.batch",
	"count/statefulsets.apps", "count/deployments.apps", "count/poddisruptionbudgets.policy", "count/networkpolicies.networking.k8s.io",
	"count/benchmarkruns.kvbench.io", "count/benchmarksuites.kvbench.io",
}

func judgeQuotas(namespace string, quotas []corev1.ResourceQuota) (findings []Finding) {
	for i := range quotas {
		quota := &quotas[i]
		var full []string
		for _, name := range slices.Sorted(maps.Keys(quota.Status.Hard)) {
			hard, used := quota.Status.Hard[name], quota.Status.Used[name]
			if used.Cmp(hard) >= 0 && (!hard.IsZero() || slices.Contains(ofRuns, name)) {
				full = append(full, fmt.Sprintf("%s: %s of %s", name, used.String(), hard.String()))
			}
		}
		if len(full) > 0 {
			where, why := "", "a run that needs more of it can't begin"
			if scope := scopeOf(quota); scope != "" {
				where = " for what is of its scope, " + scope
				why = "a run whose pods are of the scope, and need more of it, can't begin"
			}
			findings = append(findings, warning(inNamespace(namespace), "the quota %s is full%s (%s)", quota.Name, where, few(full)).
				so("%s", why).mend("raise it, or remove what uses it up: kubectl -n %s describe resourcequota %s", namespace, quota.Name))
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

// scopeOf names what alone the quota is about; "" where it is about all.
func scopeOf(quota *corev1.ResourceQuota) string {
	var scopes []string
	for _, s := range quota.Spec.Scopes {
		scopes = append(scopes, string(s))
	}
	if selector := quota.Spec.ScopeSelector; selector != nil {
		for _, s := range selector.MatchExpressions {
			parts := []string{string(s.ScopeName), string(s.Operator), few(s.Values)}
			scopes = append(scopes, strings.TrimSpace(strings.Join(parts, " ")))
		}
	}
	return strings.Join(scopes, " and ")
}
