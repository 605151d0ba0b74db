package charts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/internal/helm"
)

func redisPod(t *testing.T, values string) corev1.PodSpec {
	t.Helper()
	set, _ := memberIn(t, releaseOf(t, "redis", values))
	return set.Spec.Template.Spec
}

func TestRedisTakesItsSettingsAsOptions(t *testing.T) {
	for name, c := range map[string]struct {
		values         string
		server, beside []string
		resume         string
	}{
		"by default": {``,
			[]string{"--appendfsync", "everysec", "--appendonly", "yes", "--repl-diskless-sync-delay", "5"},
			[]string{"down-after-milliseconds", "5000", "failover-timeout", "10000", "parallel-syncs", "1"}, "true"},
		"others": {`{"settings":{"appendonly":false,"appendfsync":"no","maxmemory":1099511627776,"resume":false,"repl-diskless-sync-delay":null},
			"sentinel":{"down-after-milliseconds":1000,"failover-timeout":null}}`,
			[]string{"--appendfsync", "no", "--appendonly", "no", "--maxmemory", "1099511627776"},
			[]string{"down-after-milliseconds", "1000", "parallel-syncs", "1"}, "false"},
		"none":                            {`{"settings":null,"sentinel":null}`, nil, nil, "true"},
		"those of a cluster that is none": {`{"settings":null,"sentinel":null,"cluster":{"node-timeout":1000}}`, nil, nil, "true"},
	} {
		pod := redisPod(t, c.values)
		if got := pod.Containers[0].Args; !slices.Equal(got, c.server) {
			t.Errorf("%s: the server has %v", name, got)
		}
		if got := pod.Containers[1].Args; !slices.Equal(got, c.beside) {
			t.Errorf("%s: the Sentinel has %v", name, got)
		}
		if got := envOf(pod.Containers[0], "RESUME"); got != c.resume {
			t.Errorf("%s: resume is %q", name, got)
		}
	}
}

func TestValkeysProgramsHaveTheirNames(t *testing.T) {
	for values, want := range map[string]string{`{}`: "redis", `{"programs":"valkey"}`: "valkey"} {
		for _, container := range redisPod(t, values).Containers {
			if got := envOf(container, "PROGRAMS"); got != want {
				t.Errorf("%s: %s runs the programs of %q", values, container.Name, got)
			}
		}
	}
	if _, err := helm.Render(releaseOf(t, "redis", `{"programs":"sh"}`)); err == nil {
		t.Error("programs of any name are taken")
	}
}

func TestARedisClusterHasNoSentinels(t *testing.T) {
	for _, nodes := range []int{1, 6} {
		for values, want := range map[string][]string{
			`"enabled":true`: {"--cluster-node-timeout", "5000", "--cluster-require-full-coverage", "yes"},
			`"enabled":true,"node-timeout":1000,"require-full-coverage":false`: {"--cluster-node-timeout", "1000", "--cluster-require-full-coverage", "no"},
		} {
			release := releaseOf(t, "redis", fmt.Sprintf(`{"nodes":%d,"settings":null,"cluster":{%s}}`, nodes, values))
			manifest, err := helm.Render(release)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(manifest, "port: sentinel") || strings.Count(manifest, "port: bus") != 1 || strings.Count(manifest, "targetPort: bus") != 1 {
				t.Errorf("%d nodes: the ports are those of\n%s", nodes, manifest)
			}
			set, server := memberIn(t, release)
			if n := len(set.Spec.Template.Spec.Containers); n != 1 {
				t.Errorf("%d nodes: %d containers", nodes, n)
			}
			if !slices.Equal(server.Args, want) || server.Command[1] != "/scripts/cluster.sh" {
				t.Errorf("%d nodes: %v %v, want %v", nodes, server.Command, server.Args, want)
			}
			if envOf(server, "NODES") != fmt.Sprint(nodes) || !slices.ContainsFunc(server.Env, func(env corev1.EnvVar) bool {
				return env.Name == "POD_IP" && env.ValueFrom.FieldRef.FieldPath == "status.podIP"
			}) {
				t.Errorf("%d nodes: it is told %v", nodes, server.Env)
			}
		}
	}
}

// Members alone reach the port at which members talk to each other.
func TestTheBusOfARedisClusterIsItsMembers(t *testing.T) {
	manifest, err := helm.Render(releaseOf(t, "redis", `{"nodes":6,"cluster":{"enabled":true}}`))
	if err != nil {
		t.Fatal(err)
	}
	var policy networkingv1.NetworkPolicy
	for _, document := range strings.Split(manifest, "\n---\n") {
		if strings.Contains(document, "kind: NetworkPolicy") {
			if err := yaml.UnmarshalStrict([]byte(document), &policy); err != nil {
				t.Fatal(err)
			}
		}
	}
	found := false
	for _, rule := range policy.Spec.Ingress {
		for _, port := range rule.Ports {
			if port.Port.String() == "bus" {
				found = true
				if len(rule.From) != 1 || rule.From[0].PodSelector.MatchLabels["app.kubernetes.io/name"] != "redis" {
					t.Errorf("it is reached from %v", rule.From)
				}
			}
		}
	}
	if !found {
		t.Errorf("no rule for it: %+v", policy.Spec)
	}
}

func envOf(container corev1.Container, name string) string {
	for _, env := range container.Env {
		if env.Name == name {
			return env.Value
		}
	}
	return ""
}

func TestRedisHasASentinelBesideEachOfSeveral(t *testing.T) {
	for _, nodes := range []int{1, 2, 3, 9} {
		for _, ephemeral := range []bool{false, true} {
			set, server := memberIn(t, releaseOf(t, "redis", fmt.Sprintf(`{"nodes":%d,"storage":{"ephemeral":%v}}`, nodes, ephemeral)))
			containers := set.Spec.Template.Spec.Containers
			if want := min(nodes, 2); len(containers) != want || envOf(server, "NODES") != fmt.Sprint(nodes) {
				t.Errorf("%d nodes: %d containers, of which the first is told of %s nodes", nodes, len(containers), envOf(server, "NODES"))
			}
			claims, volumes := len(set.Spec.VolumeClaimTemplates), len(set.Spec.Template.Spec.Volumes)
			if ephemeral && (claims != 0 || volumes != 2) || !ephemeral && (claims != 1 || volumes != 1) {
				t.Errorf("ephemeral %v: %d claims and %d volumes", ephemeral, claims, volumes)
			}
			for _, container := range containers {
				if envOf(container, "DOMAIN") != "run-1.bench.svc" || envOf(container, "RELEASE") != "run-1" {
					t.Errorf("%s is told %v", container.Name, container.Env)
				}
			}
		}
	}
}

// The start scripts are files of the chart; what is mounted has to be what they source and run.
func TestRedisScriptsReachTheirContainers(t *testing.T) {
	manifest, err := helm.Render(releaseOf(t, "redis", ""))
	if err != nil {
		t.Fatal(err)
	}
	var scripts corev1.ConfigMap
	for _, document := range strings.Split(manifest, "\n---\n") {
		if strings.Contains(document, "kind: ConfigMap") {
			if err := yaml.UnmarshalStrict([]byte(document), &scripts); err != nil {
				t.Fatal(err)
			}
		}
	}
	pod := redisPod(t, "")
	if pod.Volumes[0].ConfigMap.Name != scripts.Name {
		t.Errorf("the volume is of %s, the scripts are in %s", pod.Volumes[0].ConfigMap.Name, scripts.Name)
	}
	for _, container := range append(pod.Containers, redisPod(t, `{"cluster":{"enabled":true}}`).Containers...) {
		script, ok := strings.CutPrefix(container.Command[1], "/scripts/")
		if container.Command[0] != "sh" || !ok || !strings.Contains(scripts.Data[script], ". /scripts/ask.sh\n") {
			t.Errorf("%s runs %v, and there are %d scripts", container.Name, container.Command, len(scripts.Data))
		}
	}
	if !strings.HasPrefix(scripts.Data["ask.sh"], "# Sourced by") {
		t.Errorf("ask.sh is %.50q", scripts.Data["ask.sh"])
	}
}

func TestRedisWithoutAPrimaryRestartsNothing(t *testing.T) {
	for _, container := range redisPod(t, "").Containers {
		for _, probe := range []*corev1.Probe{container.StartupProbe, container.LivenessProbe} {
			if probe.TCPSocket == nil || probe.Exec != nil || probe.HTTPGet != nil {
				t.Errorf("%s: %+v asks for more than an open port", container.Name, probe)
			}
		}
	}
}

func TestRedisPassesRestrictedPodSecurity(t *testing.T) {
	pod := redisPod(t, "")
	if own := pod.SecurityContext; !*own.RunAsNonRoot || *own.RunAsUser == 0 || own.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("pod: %+v", own)
	}
	for _, container := range pod.Containers {
		if own := container.SecurityContext; *own.AllowPrivilegeEscalation || !*own.ReadOnlyRootFilesystem || !slices.Contains(own.Capabilities.Drop, "ALL") {
			t.Errorf("%s: %+v", container.Name, own)
		}
	}
	if *pod.AutomountServiceAccountToken {
		t.Error("the members get a token of the API server")
	}
}

func TestRedisRefusesWhatItDoesNotKnow(t *testing.T) {
	for values, want := range map[string]string{
		`{"settings":{"appendonly":"yes"}}`:              "/settings/appendonly",
		`{"settings":{"appendfsync":"always --dir /"}}`:  "/settings/appendfsync",
		`{"settings":{"replicaof":"elsewhere 6379"}}`:    "replicaof",
		`{"settings":{"maxmemory":-1}}`:                  "/settings/maxmemory",
		`{"sentinel":{"parallel-syncs":0}}`:              "/sentinel/parallel-syncs",
		`{"sentinel":{"notification-script":"/bin/sh"}}`: "notification-script",
		`{"sentinel":{"quorum":1}}`:                      "quorum",
		`{"cluster":{"enabled":"yes"}}`:                  "/cluster/enabled",
		`{"cluster":{"node-timeout":1}}`:                 "/cluster/node-timeout",
		`{"cluster":{"config-file":"/x"}}`:               "config-file",
		`{"nodes":10}`:                                   "/nodes",
		`{"storage":null}`:                               "storage",
		`{"extraArgs":["--x"]}`:                          "extraArgs",
	} {
		if _, err := helm.Render(releaseOf(t, "redis", values)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", values, err, want)
		}
	}
}
