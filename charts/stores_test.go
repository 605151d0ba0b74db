package charts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/stores/catalog"
	"github.com/kvbench/kvbench/internal/stores/etcd"
)

func etcdRelease(t *testing.T, values string) helm.Release {
	t.Helper()
	return releaseOf(t, "etcd", values)
}

func releaseOf(t *testing.T, folder, values string) helm.Release {
	t.Helper()
	chart, err := fs.Sub(Stores(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return helm.Release{
		Name: "run-1", Namespace: "bench", Chart: chart, Values: []byte(values),
		Labels: map[string]string{"kvbench.io/run": "run-1"},
	}
}

// member returns etcd's rendered StatefulSet and the member's container.
func member(t *testing.T, values string) (appsv1.StatefulSet, corev1.Container) {
	t.Helper()
	return memberIn(t, etcdRelease(t, values))
}

func memberIn(t *testing.T, release helm.Release) (appsv1.StatefulSet, corev1.Container) {
	t.Helper()
	manifest, err := helm.Render(release)
	if err != nil {
		t.Fatal(err)
	}
	return memberOf(t, manifest)
}

func memberOf(t *testing.T, manifest string) (appsv1.StatefulSet, corev1.Container) {
	t.Helper()
	for _, document := range strings.Split(manifest, "\n---\n") {
		var set appsv1.StatefulSet
		if err := yaml.Unmarshal([]byte(document), &set); err != nil {
			t.Fatalf("%v in:\n%s", err, document)
		}
		if set.Kind == "StatefulSet" {
			// Once more and strictly: an unknown field is a mistake of the chart.
			if err := yaml.UnmarshalStrict([]byte(document), &set); err != nil {
				t.Fatal(err)
			}
			return set, set.Spec.Template.Spec.Containers[0]
		}
	}
	t.Fatalf("no StatefulSet in:\n%s", manifest)
	return appsv1.StatefulSet{}, corev1.Container{}
}

func TestEveryStoreHasAChartAndEveryChartAStore(t *testing.T) {
	folders, err := fs.ReadDir(Stores(), ".")
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, folder := range folders {
		have = append(have, folder.Name())
	}
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		want = append(want, entry.Chart)
	}
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(have, want) {
		t.Fatalf("charts/stores has %v, the catalog %v", have, want)
	}
}

func TestChartDefaultsAgreeWithTheCatalog(t *testing.T) {
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		values, err := json.Marshal(entry.Values)
		if err != nil {
			t.Fatal(err)
		}
		set, container := memberIn(t, releaseOf(t, entry.Chart, string(values)))
		if mode, _ := entry.FindMode(""); container.Name != mode.Container {
			t.Errorf("%s: the container is %s, the catalog says %s", name, container.Name, mode.Container)
		}
		// A store that shares a chart has its version from the catalog alone.
		if entry.Chart == name && !strings.HasSuffix(container.Image, ":"+entry.DefaultVersion) {
			t.Errorf("%s: image %s, the catalog says %s", name, container.Image, entry.DefaultVersion)
		}
		if int(container.Ports[0].ContainerPort) != entry.ClientPort {
			t.Errorf("%s: client port %d, the catalog says %d", name, container.Ports[0].ContainerPort, entry.ClientPort)
		}
		if set.Name != "run-1" || set.Namespace != "bench" || set.Spec.ServiceName != "run-1" {
			t.Errorf("%s: its members would be called %s/%s-0.%s", name, set.Namespace, set.Name, set.Spec.ServiceName)
		}
	}
}

func TestMembersOfEveryStoreAreWhereTheirValuesSay(t *testing.T) {
	const values = `{"nodeSelector":{"pool":"stores"},"tolerations":[{"key":"benchmarks","operator":"Exists"}],"imagePullSecrets":[{"name":"registry"}],
		"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{}}]}},
		"topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"rack","whenUnsatisfiable":"DoNotSchedule"}]}`
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		set, _ := memberIn(t, releaseOf(t, entry.Chart, values))
		pod := set.Spec.Template.Spec
		if pod.NodeSelector["pool"] != "stores" || len(pod.Tolerations) != 1 || len(pod.ImagePullSecrets) != 1 || pod.Affinity.PodAntiAffinity == nil {
			t.Errorf("%s: %+v", name, pod)
		}
		if over := pod.TopologySpreadConstraints; len(over) != 1 || over[0].MaxSkew != 2 {
			t.Errorf("%s is spread %+v", name, over)
		}
		set, _ = memberIn(t, releaseOf(t, entry.Chart, `{}`))
		if over := set.Spec.Template.Spec.TopologySpreadConstraints; len(over) != 2 {
			t.Errorf("%s is spread %+v by default", name, over)
		}
	}
}

func TestAMemberOfEtcdIsStartedByKvbenchWhereItNeedsHelp(t *testing.T) {
	set, container := member(t, `{"storage":{"ephemeral":true},"rejoin":{"image":"registry/kvbench:1"},"imagePullSecrets":[{"name":"pull"}]}`)
	pod := set.Spec.Template.Spec
	if len(pod.InitContainers) != 1 || pod.InitContainers[0].Image != "registry/kvbench:1" || len(pod.ImagePullSecrets) != 1 {
		t.Fatalf("%+v", pod.InitContainers)
	}
	if security := pod.InitContainers[0].SecurityContext; security == nil || !*security.ReadOnlyRootFilesystem || *security.AllowPrivilegeEscalation {
		t.Errorf("%+v", security)
	}
	want := []string{"/rejoin/kvbench-loadgen", "pod", "start-etcd", "--", "/usr/local/bin/etcd"}
	if !slices.Equal(container.Command, want) {
		t.Errorf("%v", container.Command)
	}
	// What it wants to know of the command, as etcd.Join reads it.
	folder := t.TempDir()
	command := append(slices.Clone(want[4:]), container.Args...)
	for i, arg := range command {
		if strings.HasPrefix(arg, "--data-dir=") {
			command[i] = "--data-dir=" + folder
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := etcd.Join(ctx, command, nil, t.Logf); !errors.Is(err, context.Canceled) {
		t.Errorf("the command is not understood: %v", err)
	}
	for _, values := range []string{`{}`, `{"storage":{"ephemeral":true}}`} {
		if set, container := member(t, values); len(set.Spec.Template.Spec.InitContainers) > 0 || container.Command[0] != "/usr/local/bin/etcd" {
			t.Errorf("%s: %v", values, container.Command)
		}
	}
}

func TestEtcdClusterOfEachSize(t *testing.T) {
	for _, nodes := range []int{1, 2, 3, 5, 7, 9} {
		for _, ephemeral := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d members, ephemeral %v", nodes, ephemeral), func(t *testing.T) {
				set, container := member(t, fmt.Sprintf(`{"nodes":%d,"storage":{"ephemeral":%v}}`, nodes, ephemeral))
				if int(*set.Spec.Replicas) != nodes {
					t.Errorf("%d replicas", *set.Spec.Replicas)
				}
				peers := strings.Split(flag(t, container, "initial-cluster"), ",")
				if len(peers) != nodes {
					t.Fatalf("initial cluster %v", peers)
				}
				last := fmt.Sprintf("run-1-%d", nodes-1)
				if want := last + "=http://" + last + ".run-1.bench.svc:2380"; peers[nodes-1] != want {
					t.Errorf("the last peer is %s, want %s", peers[nodes-1], want)
				}
				claims, volumes := len(set.Spec.VolumeClaimTemplates), len(set.Spec.Template.Spec.Volumes)
				if ephemeral && (claims != 0 || volumes != 1) || !ephemeral && (claims != 1 || volumes != 0) {
					t.Errorf("%d claims and %d volumes", claims, volumes)
				}
			})
		}
	}
}

func flag(t *testing.T, container corev1.Container, name string) string {
	t.Helper()
	for _, arg := range container.Args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
	}
	t.Fatalf("--%s is missing in %v", name, container.Args)
	return ""
}

func TestEtcdSettingsBecomeFlags(t *testing.T) {
	for name, c := range map[string]struct{ values, flag, want string }{
		"a default":             {`{}`, "heartbeat-interval", "100"},
		"a number":              {`{"settings":{"election-timeout":1500}}`, "election-timeout", "1500"},
		"a large number":        {`{"settings":{"quota-backend-bytes":8589934592}}`, "quota-backend-bytes", "8589934592"},
		"a text":                {`{"settings":{"auto-compaction-retention":"10m"}}`, "auto-compaction-retention", "10m"},
		"half of the volume":    {`{"storage":{"size":"3Gi"}}`, "quota-backend-bytes", "1610612736"},
		"half of the default":   {`{}`, "quota-backend-bytes", "536870912"},
		"half of a bare number": {`{"storage":{"size":"2000000000"}}`, "quota-backend-bytes", "1000000000"},
		"at most 8 GiB":         {`{"storage":{"size":"1Ti"}}`, "quota-backend-bytes", "8589934592"},
	} {
		t.Run(name, func(t *testing.T) {
			_, container := member(t, c.values)
			if got := flag(t, container, c.flag); got != c.want {
				t.Fatalf("--%s=%s, want %s", c.flag, got, c.want)
			}
		})
	}
}

func TestNoAutoscalerMovesAMember(t *testing.T) {
	set, _ := member(t, "")
	for annotation, want := range map[string]string{
		"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
		"karpenter.sh/do-not-disrupt":                    "true",
	} {
		if got := set.Spec.Template.Annotations[annotation]; got != want {
			t.Errorf("%s is %q, want %q", annotation, got, want)
		}
	}
}

func TestEtcdLosingItsQuorumRestartsNothing(t *testing.T) {
	_, container := member(t, "")
	for name, probe := range map[string]*corev1.Probe{"startup": container.StartupProbe, "liveness": container.LivenessProbe} {
		if probe.HTTPGet.Path != "/livez" {
			t.Errorf("the %s probe asks %s, which may need a leader", name, probe.HTTPGet.Path)
		}
	}
	if container.ReadinessProbe.HTTPGet.Path != "/readyz" {
		t.Errorf("the readiness probe asks %s", container.ReadinessProbe.HTTPGet.Path)
	}
}

func TestEtcdPassesRestrictedPodSecurity(t *testing.T) {
	set, container := member(t, "")
	pod, own := set.Spec.Template.Spec.SecurityContext, container.SecurityContext
	if !*pod.RunAsNonRoot || *pod.RunAsUser == 0 || pod.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("pod: %+v", pod)
	}
	if *own.AllowPrivilegeEscalation || !*own.ReadOnlyRootFilesystem || !slices.Contains(own.Capabilities.Drop, "ALL") {
		t.Errorf("container: %+v", own)
	}
	if *set.Spec.Template.Spec.AutomountServiceAccountToken {
		t.Error("the members get a token of the API server")
	}
}

func TestEtcdRunLabelsReachPodsAndClaims(t *testing.T) {
	set, _ := member(t, "")
	for name, labels := range map[string]map[string]string{
		"StatefulSet": set.Labels,
		"pods":        set.Spec.Template.Labels,
		"claims":      set.Spec.VolumeClaimTemplates[0].Labels,
	} {
		if labels["kvbench.io/run"] != "run-1" {
			t.Errorf("%s: %v", name, labels)
		}
	}
	if _, ok := set.Spec.Selector.MatchLabels["kvbench.io/run"]; ok {
		t.Error("the selector has a label of the run")
	}
}

// test/integration tries whom it lets in.
func TestStoresKeepOthersOutUnlessToldOtherwise(t *testing.T) {
	for _, name := range catalog.Deployable() {
		for values, want := range map[string]bool{
			`{}`: true, `{"networkPolicy":{"enabled":false}}`: false, `{"networkPolicy":null}`: false,
		} {
			entry, _ := catalog.Find(name)
			manifest, err := helm.Render(releaseOf(t, entry.Chart, values))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(manifest, "kind: NetworkPolicy"); got != want {
				t.Errorf("%s with %s has a policy: %v", name, values, got)
			}
		}
	}
}

func TestEtcdRefusesBadValues(t *testing.T) {
	for name, c := range map[string]struct{ values, want string }{
		"no member":             {`{"nodes":0}`, "/nodes"},
		"ten members":           {`{"nodes":10}`, "/nodes"},
		"half a member":         {`{"nodes":2.5}`, "/nodes"},
		"nodes as text":         {`{"nodes":"3"}`, "/nodes"},
		"an unknown value":      {`{"replicas":3}`, "replicas"},
		"an unknown setting":    {`{"settings":{"force-new-cluster":true}}`, "force-new-cluster"},
		"a flag smuggled in":    {`{"settings":{"auto-compaction-retention":"1 --force-new-cluster"}}`, "auto-compaction-retention"},
		"a tag with a template": {`{"image":{"tag":"{{ x }}"}}`, "/image/tag"},
		"an image with a tag":   {`{"image":{"repository":"etcd@sha256:0"}}`, "/image/repository"},
		"a size of words":       {`{"storage":{"size":"big"}}`, "/storage/size"},
		"a size of zero":        {`{"storage":{"size":"0"}}`, "/storage/size"},
		"a class in capitals":   {`{"storage":{"className":"Fast"}}`, "/storage/className"},
		"an unknown resource":   {`{"resources":{"limits":{"gpu":1}}}`, "gpu"},
		"arguments":             {`{"extraArgs":["--x"]}`, "extraArgs"},
		"who else may come in":  {`{"networkPolicy":{"from":[]}}`, "from"},
		"no storage":            {`{"storage":null}`, "storage"},
		"TLS without a secret":  {`{"security":{"level":"TLS"}}`, "/security/secret"},
		"users without secret":  {`{"security":{"level":"Auth"}}`, "/security/secret"},
		"another security":      {`{"security":{"level":"Users","secret":"s"}}`, "/security/level"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := helm.Render(etcdRelease(t, c.values))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q in it", err, c.want)
			}
		})
	}
}

func TestEtcdTakesWhatARunSays(t *testing.T) {
	const values = `{"nodes":5,"image":{"repository":"registry.example:5000/etcd","tag":"v3.6.5"},
		"storage":{"ephemeral":false,"size":"512Mi","className":"local"},
		"resources":{"requests":{"cpu":1,"memory":"256Mi"},"limits":{"cpu":"1500m"}},"settings":null}`
	if !json.Valid([]byte(values)) {
		t.Fatal("not JSON")
	}
	set, container := member(t, values)
	if container.Image != "registry.example:5000/etcd:v3.6.5" {
		t.Errorf("image %s", container.Image)
	}
	claim := set.Spec.VolumeClaimTemplates[0].Spec
	if *claim.StorageClassName != "local" || claim.Resources.Requests.Storage().String() != "512Mi" {
		t.Errorf("claim %+v", claim)
	}
	if container.Resources.Requests.Cpu().String() != "1" || container.Resources.Limits.Cpu().String() != "1500m" {
		t.Errorf("resources %+v", container.Resources)
	}
}

// What may fail while others are away: a look at anything beyond the member's own port.
func TestAPartitionRestartsNoMember(t *testing.T) {
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		set, _ := memberIn(t, releaseOf(t, entry.Chart, `{}`))
		for _, container := range set.Spec.Template.Spec.Containers {
			if container.LivenessProbe == nil {
				t.Errorf("%s, %s: a member that hangs is never restarted", name, container.Name)
			}
			for kind, probe := range map[string]*corev1.Probe{"startup": container.StartupProbe, "liveness": container.LivenessProbe} {
				switch {
				case probe == nil:
				case probe.TCPSocket != nil && probe.TCPSocket.Host == "":
				case probe.HTTPGet != nil && probe.HTTPGet.Path == "/livez": // etcd's, which takes no leader
				case probe.Exec != nil && strings.Contains(strings.Join(probe.Exec.Command, " "), "--host=127.0.0.1"):
				default:
					t.Errorf("%s, %s: the %s probe may need others: %+v", name, container.Name, kind, probe.ProbeHandler)
				}
			}
		}
	}
}

func TestMembersAreSpreadOverMachines(t *testing.T) {
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		set, _ := memberIn(t, releaseOf(t, entry.Chart, `{}`))
		spread := set.Spec.Template.Spec.TopologySpreadConstraints
		if !slices.ContainsFunc(spread, func(c corev1.TopologySpreadConstraint) bool {
			return c.TopologyKey == corev1.LabelHostname && c.MaxSkew == 1 && c.LabelSelector.MatchLabels["app.kubernetes.io/instance"] == "run-1"
		}) {
			t.Errorf("%s: %+v", name, spread)
		}
	}
}
