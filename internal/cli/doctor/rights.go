package doctor

import (
	"context"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/kube"
)

// need is what verbs of the command need: at least one of some rights.
type need struct {
	verbs string // those that don't work without it
	oneOf []right
}

// needs are those of kubectl kvbench's verbs. The chart's role kvbench-user has them. Verbs that ask the results server don't act on
// it with the user's own rights, but with those of an account whose tokens the user may create.
func needs(namespace, system string) (all []need) {
	runs := func(verbs, verb string) {
		for _, resource := range []string{"benchmarkruns", "benchmarksuites"} {
			all = append(all, need{verbs, []right{{verb: verb, group: v1alpha1.GroupVersion.Group, resource: resource, namespace: namespace}}})
		}
	}
	const shows, reports = "list, get, watch, suite and all that takes a NAME", "report, compare, export, baseline, open and what list knows of deleted runs"
	runs("run", "create")
	runs(shows, "get")
	runs(shows, "list")
	runs("cancel, delete", "delete")
	return append(all,
		need{"logs", []right{{verb: "list", resource: "pods", namespace: namespace}}},
		need{"logs", []right{{verb: "get", resource: "pods/log", namespace: namespace}}},
		need{"events in watch and logs", []right{{verb: "list", resource: "events", namespace: namespace}}},
		need{"events in logs --follow", []right{{verb: "watch", resource: "events", namespace: namespace}}},
		need{reports, []right{
			{verb: "create", resource: "serviceaccounts/token", name: "kvbench-user", namespace: namespace},
			{verb: "create", resource: "serviceaccounts/token", name: "kvbench-reader", namespace: system},
		}},
		need{reports, []right{{verb: "get", resource: "configmaps", name: "kvbench-results-ca", namespace: system}}},
		need{reports, []right{{verb: "get", resource: "pods", name: resultsPod, namespace: system}}},
		// A port-forward is a GET that becomes a stream, or a POST to older API servers. Newer ones want create for both.
		need{reports, []right{{verb: "get", resource: "pods/portforward", name: resultsPod, namespace: system}}},
		need{reports, []right{{verb: "create", resource: "pods/portforward", name: resultsPod, namespace: system}}},
	)
}

// checkRights asks for each right whether the user has it.
func checkRights(ctx context.Context, c *kube.Cluster) []Finding {
	may := map[right]bool{}
	wants := needs(c.Namespace, c.System)
	for _, n := range wants {
		for _, r := range n.oneOf {
			review, err := c.Clients.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, reviewOf(r), metav1.CreateOptions{})
			if err != nil {
				return []Finding{unanswered(err, right{verb: "create", group: authorizationv1.GroupName, resource: "selfsubjectaccessreviews"})}
			}
			may[r] = review.Status.Allowed
		}
	}
	return judgeRights(wants, may, c.Namespace)
}

// reviewOf asks the API server about a right.
func reviewOf(r right) *authorizationv1.SelfSubjectAccessReview {
	resource, sub, _ := strings.Cut(r.resource, "/")
	return &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: r.namespace, Verb: r.verb, Group: r.group, Resource: resource, Subresource: sub, Name: r.name,
		},
	}}
}

// judgeRights says what doesn't work for want of rights: a finding for each group of verbs.
func judgeRights(wants []need, may map[right]bool, namespace string) (findings []Finding) {
	lacks := map[string][]string{}
	var groups []string
	for _, n := range wants {
		if slices.ContainsFunc(n.oneOf, func(r right) bool { return may[r] }) {
			continue
		}
		if lacks[n.verbs] == nil {
			groups = append(groups, n.verbs)
		}
		lacks[n.verbs] = append(lacks[n.verbs], n.oneOf[0].String())
	}
	for _, verbs := range groups {
		findings = append(findings, problem(inNamespace(namespace), "you lack the rights to %s", strings.Join(lacks[verbs], "; ")).
			so("these don't work for you: %s", verbs).
			mend("an administrator lists you under users of the namespace in the values of kvbench's chart (docs/guide/install.md)"))
	}
	if findings == nil {
		return []Finding{ok(inNamespace(namespace), "you may do all that kubectl kvbench does")}
	}
	return findings
}

// deployer is the account that runs deploy stores with by default.
const deployer = "kvbench-deployer"

// checkDeployer looks for the account in the user's namespace.
func checkDeployer(ctx context.Context, c *kube.Cluster) []Finding {
	_, err := c.Clients.CoreV1().ServiceAccounts(c.Namespace).Get(ctx, deployer, metav1.GetOptions{})
	return []Finding{judgeDeployer(err, c.Namespace)}
}

func judgeDeployer(err error, namespace string) Finding {
	switch {
	case err == nil:
		return ok(inNamespace(namespace), "the service account %s is there", deployer)
	case apierrors.IsNotFound(err):
		return problem(inNamespace(namespace), "there is no service account %s", deployer).so("runs that name no other account can't deploy a store").
			mend("see that the namespace exists, and list it under deployer.namespaces in the values of kvbench's chart, or name an account in spec.serviceAccountName")
	}
	return unanswered(err, right{verb: "get", resource: "serviceaccounts", name: deployer, namespace: namespace})
}
