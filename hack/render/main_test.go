package main

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func TestObjectsGoWhereKubebuilderHasThem(t *testing.T) {
	folders := sortIntoFolders([]map[string]any{
		{"apiVersion": "v1", "kind": "ServiceAccount"},
		{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role"},
		{"apiVersion": "apps/v1", "kind": "Deployment"},
		{"apiVersion": "v1", "kind": "Service"},
	})
	if len(folders["rbac"]) != 2 || len(folders["manager"]) != 2 {
		t.Errorf("rbac has %d and manager %d objects, want 2 and 2", len(folders["rbac"]), len(folders["manager"]))
	}
}

func TestChartRendersWithItsDefaults(t *testing.T) {
	objects, err := render("../../charts/kvbench", nil)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[any]int{}
	for _, object := range objects {
		kinds[object["kind"]]++
		if object["apiVersion"] == nil {
			t.Errorf("an object has no apiVersion: %v", object)
		}
	}
	for _, kind := range []string{"Deployment", "StatefulSet", "ClusterRole", "Role", "ServiceAccount", "Service"} {
		if kinds[kind] == 0 {
			t.Errorf("the chart has no %s: %v", kind, kinds)
		}
	}
}

// resultsServer is that of the chart with these values of metrics.remoteWrite.
func resultsServer(values map[string]any) (*corev1.PodSpec, error) {
	objects, err := render("../../charts/kvbench", map[string]any{"metrics": map[string]any{"remoteWrite": values}})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(objects, func(o map[string]any) bool { return o["kind"] == "StatefulSet" })
	document, err := yaml.Marshal(objects[at])
	if err != nil {
		return nil, err
	}
	set := &appsv1.StatefulSet{}
	return &set.Spec.Template.Spec, yaml.UnmarshalStrict(document, set)
}

func TestFiguresAreSentWhereTheValuesSay(t *testing.T) {
	const address = `https://prometheus.example/push?a={{b}}"'`
	for _, c := range []struct {
		values map[string]any
		args   []string
		secret string
	}{
		{nil, nil, ""},
		{map[string]any{"secret": "bridge"}, nil, ""},
		{map[string]any{"url": address}, []string{"--remote-write-url=" + address}, ""},
		{map[string]any{"url": address, "secret": "bridge"}, []string{"--remote-write-url=" + address, "--remote-write-secret=/etc/kvbench-remote-write"}, "bridge"},
	} {
		pod, err := resultsServer(c.values)
		if err != nil {
			t.Fatal(err)
		}
		args := slices.DeleteFunc(pod.Containers[0].Args, func(a string) bool { return !strings.HasPrefix(a, "--remote-write") })
		if !slices.Equal(args, c.args) {
			t.Errorf("%v: the arguments %q", c.values, args)
		}
		secret, mounted := "", false
		for _, v := range pod.Volumes {
			if v.Name == "remote-write" {
				secret = v.Secret.SecretName
			}
		}
		for _, m := range pod.Containers[0].VolumeMounts {
			mounted = mounted || m.Name == "remote-write" && m.ReadOnly && m.MountPath == "/etc/kvbench-remote-write"
		}
		if secret != c.secret || mounted != (secret != "") {
			t.Errorf("%v: the Secret %q, mounted: %v", c.values, secret, mounted)
		}
	}
	for _, bad := range []map[string]any{{"url": "prometheus:9090"}, {"url": "http://user:password@a"}, {"url": "http://a b"}, {"secret": "A b"}, {"token": "t"}} {
		if _, err := resultsServer(bad); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}
