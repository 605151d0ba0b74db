package charts

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/stores/cassandra"
)

// cassandraConfigs are Cassandra's own files, as the chart writes them for each member.
func cassandraConfigs(t *testing.T, values string) (configs []map[string]any) {
	t.Helper()
	manifest, err := helm.Render(releaseOf(t, "cassandra", values))
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(manifest, "\n---\n") {
		var object corev1.ConfigMap
		if err := yaml.Unmarshal([]byte(document), &object); err != nil || object.Kind != "ConfigMap" {
			continue
		}
		for i := 0; ; i++ {
			text, there := object.Data[fmt.Sprintf("run-1-%d.yaml", i)]
			if !there {
				return configs
			}
			var config map[string]any
			if err := yaml.UnmarshalStrict([]byte(text), &config); err != nil {
				t.Fatalf("%v in:\n%s", err, text)
			}
			configs = append(configs, config)
		}
	}
	t.Fatalf("no ConfigMap in:\n%s", manifest)
	return nil
}

func TestCassandrasLogIsAsLongAsItsObserverTakesItToBe(t *testing.T) {
	manifest, err := helm.Render(releaseOf(t, "cassandra", `{}`))
	if want := fmt.Sprint("- -Dcassandra.virtual.logs.max.rows=", cassandra.LogRows, "\n"); err != nil || !strings.Contains(manifest, want) {
		t.Errorf("%v, no %q in:\n%s", err, want, manifest)
	}
}

// Murmur3Partitioner's tokens are all numbers of 64 bits but the smallest.
func TestCassandrasMembersHaveEqualPartsOfTheRing(t *testing.T) {
	for _, nodes := range []int{1, 2, 3, 5, 9} {
		for _, parts := range []int{1, 16, 256} {
			type token struct {
				at     int64
				member int
			}
			var ring []token
			configs := cassandraConfigs(t, fmt.Sprintf(`{"nodes":%d,"settings":{"num_tokens":%d}}`, nodes, parts))
			if len(configs) != nodes {
				t.Fatalf("%d files of %d", len(configs), nodes)
			}
			for member, config := range configs {
				for text := range strings.SplitSeq(config["initial_token"].(string), ",") {
					at, err := strconv.ParseInt(text, 10, 64)
					if err != nil || at == math.MinInt64 {
						t.Fatalf("token %q: %v", text, err)
					}
					ring = append(ring, token{at, member})
				}
			}
			slices.SortFunc(ring, func(a, b token) int { return cmp.Compare(a.at, b.at) })
			if len(ring) != nodes*parts {
				t.Fatalf("%d tokens of %d members with %d", len(ring), nodes, parts)
			}
			part, rest := uint64(math.MaxUint64)/uint64(nodes*parts), uint64(2*nodes*parts)
			for i := range ring {
				before := ring[(i+len(ring)-1)%len(ring)]
				owned := uint64(ring[i].at) - uint64(before.at) // which wraps around, as the ring does
				if far := owned - part; len(ring) > 1 && far > rest && -far > rest {
					t.Errorf("%d members with %d: %d of %d at %d", nodes, parts, owned, part, i)
				}
				if ring[i].member != i%nodes {
					t.Errorf("%d members with %d: place %d is that of member %d", nodes, parts, i, ring[i].member)
				}
			}
		}
	}
}

func TestCassandrasMembersFindEachOther(t *testing.T) {
	configs := cassandraConfigs(t, `{"nodes":2}`)
	for i, config := range configs {
		if got, want := fmt.Sprint(config["seed_provider"]), "run-1-0.run-1.bench.svc,run-1-1.run-1.bench.svc"; !strings.Contains(got, want) {
			t.Errorf("member %d: %s", i, got)
		}
		if config["auto_bootstrap"] != false {
			t.Errorf("member %d waits for data", i)
		}
	}
	set, container := memberIn(t, releaseOf(t, "cassandra", ""))
	if set.Spec.PodManagementPolicy != "OrderedReady" {
		t.Errorf("members start in the order %s", set.Spec.PodManagementPolicy)
	}
	if !slices.Contains(container.Args, "-Dcassandra.config=file:///config/$(POD_NAME).yaml") {
		t.Errorf("args %v", container.Args)
	}
}

func TestCassandraTakesItsSettings(t *testing.T) {
	for _, c := range []struct {
		values, name string
		want         any
	}{
		{`{}`, "commitlog_sync", "batch"},
		{`{"settings":null}`, "commitlog_sync", "batch"},
		{`{}`, "commitlog_sync_period", nil},
		{`{"settings":{"commitlog_sync":"periodic"}}`, "commitlog_sync_period", "10000ms"},
		{`{"settings":{"commitlog_sync":"group","commitlog_sync_group_window":"5ms"}}`, "commitlog_sync_group_window", "5ms"},
		{`{"settings":{"concurrent_writes":64}}`, "concurrent_writes", 64.0},
		{`{"settings":{"concurrent_writes":null}}`, "concurrent_writes", nil},
		{`{"settings":{"hinted_handoff_enabled":false}}`, "hinted_handoff_enabled", false},
		{`{"settings":{"num_tokens":4}}`, "num_tokens", 4.0},
		{`{}`, "max_mutation_size", nil},
		{`{}`, "native_transport_max_message_size", nil},
		{`{"settings":{"max_mutation_size":"64MiB"}}`, "max_mutation_size", "64MiB"},
		{`{"settings":{"max_mutation_size":"64MiB"}}`, "commitlog_segment_size", "128MiB"},
		{`{"settings":{"max_mutation_size":"8MiB"}}`, "commitlog_segment_size", "32MiB"},
		{`{"settings":{"max_mutation_size":"64MiB"}}`, "native_transport_max_message_size", "64MiB"},
		{`{"settings":{"max_mutation_size":"64MiB"}}`, "native_transport_max_request_data_in_flight_per_ip", "64MiB"},
		{`{"settings":{"max_mutation_size":"64MiB","heap":"4g"}}`, "native_transport_max_request_data_in_flight_per_ip", "102MiB"},
		{`{"settings":{"max_mutation_size":"64MiB","heap":"4g"}}`, "native_transport_max_request_data_in_flight", "409MiB"},
		{`{"settings":{"max_mutation_size":"64MiB","heap":"512m"}}`, "native_transport_max_request_data_in_flight", "64MiB"},
	} {
		if got := cassandraConfigs(t, c.values)[0][c.name]; got != c.want {
			t.Errorf("%s: %s is %v, want %v", c.values, c.name, got, c.want)
		}
	}
	memtable := fmt.Sprint(cassandraConfigs(t, `{"settings":{"memtable":"trie"}}`)[0]["memtable"])
	if !strings.Contains(memtable, "TrieMemtable") {
		t.Error(memtable)
	}
}

func TestCassandraKeepsItsDataOnAVolumeUnlessToldOtherwise(t *testing.T) {
	for ephemeral, claims := range map[bool]int{false: 1, true: 0} {
		set, container := memberIn(t, releaseOf(t, "cassandra", fmt.Sprintf(`{"storage":{"ephemeral":%v}}`, ephemeral)))
		volumes := len(set.Spec.Template.Spec.Volumes) + len(set.Spec.VolumeClaimTemplates)
		if len(set.Spec.VolumeClaimTemplates) != claims || volumes != len(container.VolumeMounts) {
			t.Errorf("ephemeral %v: %d claims, %d volumes", ephemeral, len(set.Spec.VolumeClaimTemplates), volumes)
		}
	}
}

func TestNothingRestartsAMemberOfCassandraThatSeesNoOther(t *testing.T) {
	_, container := memberIn(t, releaseOf(t, "cassandra", ""))
	if probe := container.LivenessProbe; probe.TCPSocket == nil || probe.Exec != nil || probe.HTTPGet != nil {
		t.Errorf("%+v", probe)
	}
}

func TestCassandraRefusesWhatItDoesNotKnow(t *testing.T) {
	for values, want := range map[string]string{
		`{"settings":{"heap":"1g -Dx=y"}}`:                 "/settings/heap",
		`{"settings":{"max_mutation_size":"1MiB"}}`:        "/settings/max_mutation_size",
		`{"settings":{"max_mutation_size":"128MiB"}}`:      "/settings/max_mutation_size",
		`{"settings":{"num_tokens":257}}`:                  "/settings/num_tokens",
		`{"settings":{"commitlog_sync":"never"}}`:          "/settings/commitlog_sync",
		`{"settings":{"commitlog_sync_period":"1s"}}`:      "/settings/commitlog_sync_period",
		`{"settings":{"memtable":"x.y.Memtable"}}`:         "/settings/memtable",
		`{"settings":{"phi_convict_threshold":4}}`:         "/settings/phi_convict_threshold",
		`{"settings":{"authenticator":"AllowAll"}}`:        "authenticator",
		`{"settings":{"concurrent_writes":"1\nseeds: x"}}`: "/settings/concurrent_writes",
		`{"nodes":10}`: "/nodes",
	} {
		if _, err := helm.Render(releaseOf(t, "cassandra", values)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", values, err, want)
		}
	}
}
