package charts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/stores/hazelcast"
)

// hazelcastConfig is Hazelcast's own file, as the chart writes it.
type hazelcastConfig struct {
	Hazelcast struct {
		CP *struct {
			Members    int            `json:"cp-member-count"`
			GroupSize  int            `json:"group-size"`
			FailUnsure bool           `json:"fail-on-indeterminate-operation-state"`
			Raft       map[string]int `json:"raft-algorithm"`
		} `json:"cp-subsystem"`
		Network struct {
			Join struct {
				TCPIP struct {
					Members []string `json:"member-list"`
				} `json:"tcp-ip"`
			} `json:"join"`
		} `json:"network"`
		Map struct {
			Default map[string]any `json:"default"`
		} `json:"map"`
		Properties map[string]string `json:"properties"`
	} `json:"hazelcast"`
}

func hazelcastConfigOf(t *testing.T, values string) hazelcastConfig {
	t.Helper()
	manifest, err := helm.Render(releaseOf(t, "hazelcast", values))
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(manifest, "\n---\n") {
		var object corev1.ConfigMap
		if err := yaml.Unmarshal([]byte(document), &object); err != nil || object.Kind != "ConfigMap" {
			continue
		}
		var config hazelcastConfig
		if err := yaml.Unmarshal([]byte(object.Data["hazelcast.yaml"]), &config); err != nil {
			t.Fatalf("%v in:\n%s", err, object.Data["hazelcast.yaml"])
		}
		return config
	}
	t.Fatalf("no ConfigMap in:\n%s", manifest)
	return hazelcastConfig{}
}

func TestHazelcastsMembersFindEachOther(t *testing.T) {
	for _, c := range []struct {
		values string
		want   []string
	}{
		{`{"nodes":1}`, []string{"run-1-0.run-1.bench.svc:5701"}},
		{`{"nodes":3}`, []string{"run-1-0.run-1.bench.svc:5701", "run-1-1.run-1.bench.svc:5701", "run-1-2.run-1.bench.svc:5701"}},
	} {
		if got := hazelcastConfigOf(t, c.values).Hazelcast.Network.Join.TCPIP.Members; !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.values, got, c.want)
		}
	}
	if got := len(hazelcastConfigOf(t, `{"nodes":9}`).Hazelcast.Network.Join.TCPIP.Members); got != 9 {
		t.Errorf("%d members of 9", got)
	}
}

func TestHazelcastTakesItsSettings(t *testing.T) {
	config := hazelcastConfigOf(t, `{"settings":{"backup-count":0,"async-backup-count":2,"read-backup-data":true,"max-no-heartbeat-seconds":10}}`).Hazelcast
	for name, want := range map[string]any{"backup-count": 0.0, "async-backup-count": 2.0, "read-backup-data": true} {
		if got := config.Map.Default[name]; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"hazelcast.max.no.heartbeat.seconds": "10", "hazelcast.merge.first.run.delay.seconds": "300", "hazelcast.phone.home.enabled": "false",
	} {
		if got := config.Properties[name]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if left := hazelcastConfigOf(t, `{"settings":{"backup-count":null,"merge-next-run-delay-seconds":null}}`).Hazelcast; left.Map.Default["backup-count"] != nil ||
		left.Properties["hazelcast.merge.next.run.delay.seconds"] != "" {
		t.Errorf("what was left out is there: %+v", left)
	}
	if with, without := hazelcastConfigOf(t, ``), hazelcastConfigOf(t, `{"settings":{"sorted-index":false}}`); with.Hazelcast.Map.Default["indexes"] == nil ||
		without.Hazelcast.Map.Default["indexes"] != nil {
		t.Errorf("indexes %v and %v", with.Hazelcast.Map.Default, without.Hazelcast.Map.Default)
	}
}

func TestHazelcastsRaftGroupIsOfTheSizeThatTheDriverKnows(t *testing.T) {
	for nodes := 3; nodes <= 9; nodes++ {
		want := hazelcast.GroupSize(nodes)
		if cp := hazelcastConfigOf(t, fmt.Sprintf(`{"nodes":%d,"cp":true}`, nodes)).Hazelcast.CP; cp == nil || cp.Members != want || cp.GroupSize != want {
			t.Errorf("%d nodes: %+v, want %d members", nodes, cp, want)
		}
	}
}

func TestHazelcastHasARaftGroupInModeCPAlone(t *testing.T) {
	if cp := hazelcastConfigOf(t, `{"nodes":3}`).Hazelcast.CP; cp != nil {
		t.Errorf("%+v without the mode", cp)
	}
	cp := hazelcastConfigOf(t, `{"nodes":5,"cp":true,"settings":{"max-missed-leader-heartbeats":2}}`).Hazelcast.CP
	if cp == nil || cp.Members != 5 || cp.GroupSize != 5 || !cp.FailUnsure ||
		cp.Raft["max-missed-leader-heartbeat-count"] != 2 || cp.Raft["leader-heartbeat-period-in-millis"] != 5000 {
		t.Errorf("%+v", cp)
	}
}

func TestHazelcastsMembersStartOneAfterTheOther(t *testing.T) {
	set, _ := memberIn(t, releaseOf(t, "hazelcast", ""))
	if set.Spec.PodManagementPolicy != "OrderedReady" || len(set.Spec.VolumeClaimTemplates) > 0 {
		t.Errorf("%s, volumes %v", set.Spec.PodManagementPolicy, set.Spec.VolumeClaimTemplates)
	}
}

func TestHazelcastRefusesWhatItDoesNotKnow(t *testing.T) {
	for values, want := range map[string]string{
		`{"storage":{"ephemeral":false}}`:                        "/storage/ephemeral",
		`{"settings":{"heap":"1g -Dx=y"}}`:                       "/settings/heap",
		`{"settings":{"heap":"512"}}`:                            "/settings/heap",
		`{"settings":{"backup-count":7}}`:                        "/settings/backup-count",
		`{"settings":{"backup-count":4,"async-backup-count":3}}`: "more than 6 together",
		`{"settings":{"java-options":"-javaagent:/x"}}`:          "java-options",
		`{"settings":{"max-missed-leader-heartbeats":0}}`:        "max-missed-leader-heartbeats",
		`{"cp":"yes"}`: "/cp",
		`{"nodes":10}`: "/nodes",
	} {
		if _, err := helm.Render(releaseOf(t, "hazelcast", values)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", values, err, want)
		}
	}
}
