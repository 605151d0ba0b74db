package main

import (
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// renderChart gives the manifests of the operator's chart, by kind and name.
func renderChart(t *testing.T, values map[string]any) (map[string]string, error) {
	t.Helper()
	c, err := loader.Load("../../../charts/kvbench")
	if err != nil {
		t.Fatal(err)
	}
	options := common.ReleaseOptions{Name: "kvbench", Namespace: "kvbench-system", IsInstall: true}
	all, err := util.ToRenderValues(c, values, options, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return nil, err
	}
	manifests := map[string]string{}
	for name, content := range files {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for document := range strings.SplitSeq("\n"+content, "\n---\n") {
			var head struct {
				Kind     string
				Metadata struct{ Name, Namespace string }
			}
			if err := yaml.Unmarshal([]byte(document), &head); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if head.Kind != "" {
				manifests[head.Kind+"/"+head.Metadata.Namespace+"/"+head.Metadata.Name] = document
			}
		}
	}
	return manifests, nil
}

func decode[T any](t *testing.T, manifest string) *T {
	t.Helper()
	object := new(T)
	if manifest == "" {
		t.Fatal("the chart has no such manifest")
	}
	if err := yaml.UnmarshalStrict([]byte(manifest), object); err != nil {
		t.Fatal(err)
	}
	return object
}

func TestTheChartsPodsAreRestricted(t *testing.T) {
	manifests, err := renderChart(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, pod := range map[string]corev1.PodSpec{
		"controller": decode[appsv1.Deployment](t, manifests["Deployment/kvbench-system/kvbench-controller"]).Spec.Template.Spec,
		"results":    decode[appsv1.StatefulSet](t, manifests["StatefulSet/kvbench-system/kvbench-results"]).Spec.Template.Spec,
	} {
		if s := pod.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.SeccompProfile == nil {
			t.Errorf("%s: the pod's security context is not restricted: %+v", name, s)
		}
		for _, c := range pod.Containers {
			s := c.SecurityContext
			if s == nil || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || len(s.Capabilities.Drop) != 1 {
				t.Errorf("%s: the security context of %s is not restricted: %+v", name, c.Name, s)
			}
			if c.ReadinessProbe == nil || c.LivenessProbe == nil || c.Resources.Limits.Memory().IsZero() {
				t.Errorf("%s: %s lacks probes or a memory limit", name, c.Name)
			}
		}
	}
}

func TestTheChartsRightsAreListed(t *testing.T) {
	manifests, err := renderChart(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for name, manifest := range manifests {
		if !strings.HasPrefix(name, "ClusterRole/") && !strings.HasPrefix(name, "Role/") {
			continue
		}
		seen++
		role := decode[rbacv1.ClusterRole](t, manifest)
		if len(role.Rules) == 0 {
			t.Errorf("%s has no rules", name)
		}
		for _, rule := range role.Rules {
			for _, word := range append(append(rule.Verbs, rule.Resources...), rule.APIGroups...) {
				if word == "*" {
					t.Errorf("%s has a wildcard: %v", name, rule)
				}
			}
		}
	}
	if seen != 9 {
		t.Errorf("got %d roles, want the controller's three, that of who asks kubelets, the results server's, one deployer's, and three of users", seen)
	}
}

func TestKubeletsAreAskedOnlyWhereTheValuesSaySo(t *testing.T) {
	for name, c := range map[string]struct {
		values map[string]any
		role   bool
		args   string
	}{
		"by default":          {map[string]any{}, true, ""},
		"not at all":          {map[string]any{"usage": false}, false, "--kubelet-usage=false"},
		"those that kind has": {(&kindTarget{}).Values()["kubelet"].(map[string]any), true, "--kubelet-insecure-tls"},
	} {
		manifests, err := renderChart(t, map[string]any{"kubelet": c.values})
		if err != nil {
			t.Fatal(err)
		}
		if got := manifests["ClusterRole//kvbench-kubelets"] != ""; got != c.role {
			t.Errorf("%s: a role for it: %v", name, got)
		}
		pod := decode[appsv1.Deployment](t, manifests["Deployment/kvbench-system/kvbench-controller"]).Spec.Template.Spec
		var args []string
		for _, arg := range pod.Containers[0].Args {
			if strings.HasPrefix(arg, "--kubelet") {
				args = append(args, arg)
			}
		}
		if strings.Join(args, " ") != c.args {
			t.Errorf("%s: %v", name, args)
		}
	}
}

func TestEachNamespaceOfRunsGetsADeployer(t *testing.T) {
	manifests, err := renderChart(t, map[string]any{"deployer": map[string]any{"namespaces": []any{"one", "two"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, namespace := range []string{"one", "two"} {
		for _, kind := range []string{"ServiceAccount", "Role", "RoleBinding"} {
			if manifests[kind+"/"+namespace+"/kvbench-deployer"] == "" {
				t.Errorf("namespace %s has no %s", namespace, kind)
			}
		}
	}
	if manifests["Role/default/kvbench-deployer"] != "" {
		t.Error("a namespace that was not named got a deployer")
	}
}

func TestWorkersRunTheImageOfTheRelease(t *testing.T) {
	manifests, err := renderChart(t, map[string]any{"image": map[string]any{"repository": "registry.example/kvbench", "tag": "v9"}})
	if err != nil {
		t.Fatal(err)
	}
	pod := decode[appsv1.Deployment](t, manifests["Deployment/kvbench-system/kvbench-controller"]).Spec.Template.Spec
	if got := pod.Containers[0].Image; got != "registry.example/kvbench:v9" {
		t.Errorf("the controller's image is %s", got)
	}
	// It finds its own image, and gives it to the workers, by its pod's name.
	if got := pod.Containers[0].Env[0]; got.Name != "POD_NAME" || got.ValueFrom.FieldRef.FieldPath != "metadata.name" {
		t.Errorf("the controller doesn't know its pod: %+v", got)
	}
}

func TestTheChartRefusesValuesItDoesNotKnow(t *testing.T) {
	for name, values := range map[string]map[string]any{
		"a misspelt key":     {"imgae": map[string]any{}},
		"a size without one": {"results": map[string]any{"storage": map[string]any{"size": "much"}}},
		"a bad namespace":    {"deployer": map[string]any{"namespaces": []any{"No_Name"}}},
	} {
		if _, err := renderChart(t, values); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestThePageHasAnIngressIfSomebodyWantsOne(t *testing.T) {
	without, err := renderChart(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, made := without["Ingress/kvbench-system/kvbench-page"]; made {
		t.Error("the page is open to others by default")
	}
	peer := map[string]any{"podSelector": map[string]any{"matchLabels": map[string]any{"app": "oauth2-proxy"}}}
	with, err := renderChart(t, map[string]any{"page": map[string]any{"from": []any{peer}, "ingress": map[string]any{
		"enabled": true, "className": "nginx", "host": "kvbench.example.com", "tlsSecret": "page-tls",
		"annotations": map[string]any{"example.com/auth": "yes"}, "service": map[string]any{"name": "oauth2-proxy", "port": 4180}}}})
	if err != nil {
		t.Fatal(err)
	}
	ingress := decode[networkingv1.Ingress](t, with["Ingress/kvbench-system/kvbench-page"])
	rule := ingress.Spec.Rules[0]
	backend := rule.HTTP.Paths[0].Backend.Service
	if rule.Host != "kvbench.example.com" || *ingress.Spec.IngressClassName != "nginx" || backend.Name != "oauth2-proxy" || backend.Port.Number != 4180 ||
		ingress.Spec.TLS[0].SecretName != "page-tls" || ingress.Annotations["example.com/auth"] != "yes" {
		t.Errorf("%+v", ingress)
	}
	policy := decode[networkingv1.NetworkPolicy](t, with["NetworkPolicy/kvbench-system/kvbench-results"])
	if peers := policy.Spec.Ingress[0].From; len(peers) != 3 || peers[2].PodSelector.MatchLabels["app"] != "oauth2-proxy" {
		t.Errorf("the results server may be asked by %+v", peers)
	}
	if _, err := renderChart(t, map[string]any{"page": map[string]any{"ingress": map[string]any{"enabled": true}}}); err == nil || !strings.Contains(err.Error(), "page.ingress.host") {
		t.Errorf("an Ingress without a host: %v", err)
	}
}
