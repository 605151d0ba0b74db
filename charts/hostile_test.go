package charts

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// hostile are words that would do harm if anything but a string were made of them.
var hostile = []string{
	"../../etc/passwd", "/etc/passwd", "{{ .Release.Name }}", `{{ include "etcd.labels" . }}`, "$(rm -rf /)", "$(POD_NAME)",
	"`id`", "; sh", "a\nb: c", "a\n---\nkind: Pod", "a\x00b", "http://169.254.169.254/", "x: {y: z}", "!!python/object:os.system",
	"&a", "*a", "- a", "# a", "'", `"`, "--listen-client-urls=http://0.0.0.0:1", strings.Repeat("a", 4096), "etcd\u202e", "é",
}

// leaves are the places of a chart's values that take a string, by the chart.
var leaves = map[string][]string{"etcd": {
	`{"image":{"repository":%s,"tag":"v3.7.3"}}`,
	`{"image":{"tag":%s}}`,
	`{"image":{"pullPolicy":%s}}`,
	`{"storage":{"size":%s}}`,
	`{"storage":{"ephemeral":true,"size":%s}}`,
	`{"storage":{"className":%s}}`,
	`{"storage":{"ephemeral":%s}}`,
	`{"nodes":%s}`,
	`{"networkPolicy":{"enabled":%s}}`,
	`{"resources":{"requests":{"cpu":%s}}}`,
	`{"resources":{"limits":{%s:"1"}}}`,
	`{"resources":{%s:{}}}`,
	`{"settings":{"auto-compaction-mode":%s}}`,
	`{"settings":{"auto-compaction-retention":%s}}`,
	`{"settings":{"snapshot-count":%s}}`,
	`{"security":{"level":%s}}`,
	`{"security":{"level":"Auth","secret":%s}}`,
	`{"security":{"level":"TLS","secret":%s}}`,
	`{"security":{%s:"x"}}`,
	`{"settings":{%s:"1"}}`,
	`{%s:"1"}`,
	`{"global":{"a":%s}}`,
}, "cassandra": {
	`{"image":{"repository":%s,"tag":"5.0.9"}}`,
	`{"image":{"tag":%s}}`,
	`{"image":{"pullPolicy":%s}}`,
	`{"storage":{"size":%s}}`,
	`{"storage":{"ephemeral":true,"size":%s}}`,
	`{"storage":{"className":%s}}`,
	`{"storage":{"ephemeral":%s}}`,
	`{"nodes":%s}`,
	`{"networkPolicy":{"enabled":%s}}`,
	`{"resources":{"requests":{"cpu":%s}}}`,
	`{"resources":{"limits":{%s:"1"}}}`,
	`{"settings":{"heap":%s}}`,
	`{"settings":{"compilation":%s}}`,
	`{"settings":{"num_tokens":%s}}`,
	`{"settings":{"commitlog_sync":%s}}`,
	`{"settings":{"commitlog_sync":"periodic","commitlog_sync_period":%s}}`,
	`{"settings":{"commitlog_sync":"group","commitlog_sync_group_window":%s}}`,
	`{"settings":{"memtable":%s}}`,
	`{"settings":{"max_mutation_size":%s}}`,
	`{"settings":{"concurrent_writes":%s}}`,
	`{"settings":{"write_request_timeout":%s}}`,
	`{"settings":{"hinted_handoff_enabled":%s}}`,
	`{"settings":{"phi_convict_threshold":%s}}`,
	`{"security":{"level":%s}}`,
	`{"security":{"level":"TLS","secret":%s}}`,
	`{"security":{%s:"x"}}`,
	`{"settings":{%s:"1"}}`,
	`{%s:"1"}`,
	`{"global":{"a":%s}}`,
}, "memcached": {
	`{"image":{"repository":%s,"tag":"1.6"}}`,
	`{"image":{"tag":%s}}`,
	`{"image":{"pullPolicy":%s}}`,
	`{"storage":{"ephemeral":%s}}`,
	`{"storage":{%s:true}}`,
	`{"nodes":%s}`,
	`{"networkPolicy":{"enabled":%s}}`,
	`{"resources":{"requests":{"cpu":%s}}}`,
	`{"resources":{"limits":{%s:"1"}}}`,
	`{"settings":{"memory-limit":%s}}`,
	`{"settings":{"disable-evictions":%s}}`,
	`{"settings":{%s:1}}`,
	`{"security":{"level":%s}}`,
	`{"security":{"level":"TLS","secret":%s}}`,
	`{"security":{%s:"x"}}`,
	`{%s:"1"}`,
	`{"global":{"a":%s}}`,
}, "hazelcast": {
	`{"image":{"repository":%s,"tag":"5.4.0"}}`,
	`{"image":{"tag":%s}}`,
	`{"image":{"pullPolicy":%s}}`,
	`{"storage":{"ephemeral":%s}}`,
	`{"storage":{%s:true}}`,
	`{"nodes":%s}`,
	`{"networkPolicy":{"enabled":%s}}`,
	`{"resources":{"requests":{"memory":%s}}}`,
	`{"resources":{"limits":{%s:"1"}}}`,
	`{"settings":{"heap":%s}}`,
	`{"settings":{"compilation":%s}}`,
	`{"settings":{"backup-count":%s}}`,
	`{"settings":{"read-backup-data":%s}}`,
	`{"settings":{"sorted-index":%s}}`,
	`{"settings":{"leader-heartbeat-period-millis":%s}}`,
	`{"cp":%s}`,
	`{"settings":{"max-no-heartbeat-seconds":%s}}`,
	`{"settings":{%s:1}}`,
	`{%s:"1"}`,
	`{"global":{"a":%s}}`,
}, "ignite": {
	`{"image":{"repository":%s,"tag":"2.17.0"}}`,
	`{"image":{"tag":%s}}`,
	`{"image":{"pullPolicy":%s}}`,
	`{"storage":{"size":%s}}`,
	`{"persistence":true,"storage":{"ephemeral":true,"size":%s}}`,
	`{"persistence":true,"storage":{"className":%s}}`,
	`{"storage":{"ephemeral":%s}}`,
	`{"storage":{%s:true}}`,
	`{"nodes":%s}`,
	`{"persistence":%s}`,
	`{"networkPolicy":{"enabled":%s}}`,
	`{"resources":{"requests":{"memory":%s}}}`,
	`{"resources":{"limits":{%s:"1"}}}`,
	`{"settings":{"heap":%s}}`,
	`{"settings":{"compilation":%s}}`,
	`{"settings":{"region-mib":%s}}`,
	`{"settings":{"backups":%s}}`,
	`{"settings":{"write-synchronization-mode":%s}}`,
	`{"settings":{"read-from-backup":%s}}`,
	`{"settings":{"partitions":%s}}`,
	`{"settings":{"partition-loss-policy":%s}}`,
	`{"settings":{"failure-detection-timeout":%s}}`,
	`{"settings":{"wal-mode":%s}}`,
	`{"settings":{"max-wal-archive-mib":%s}}`,
	`{"security":{"level":%s}}`,
	`{"security":{"level":"TLS","secret":%s}}`,
	`{"security":{%s:"x"}}`,
	`{"settings":{%s:1}}`,
	`{%s:"1"}`,
	`{"global":{"a":%s}}`,
}, "redis": {
	`{"image":{"repository":%s,"tag":"7.0"}}`,
	`{"image":{"tag":%s}}`,
	`{"image":{"pullPolicy":%s}}`,
	`{"storage":{"size":%s}}`,
	`{"storage":{"ephemeral":true,"size":%s}}`,
	`{"storage":{"className":%s}}`,
	`{"storage":{"ephemeral":%s}}`,
	`{"nodes":%s}`,
	`{"networkPolicy":{"enabled":%s}}`,
	`{"resources":{"requests":{"cpu":%s}}}`,
	`{"resources":{"limits":{%s:"1"}}}`,
	`{"settings":{"appendonly":%s}}`,
	`{"settings":{"appendfsync":%s}}`,
	`{"settings":{"maxmemory":%s}}`,
	`{"settings":{"maxmemory-policy":%s}}`,
	`{"settings":{"resume":%s}}`,
	`{"settings":{%s:1}}`,
	`{"cluster":{"enabled":%s}}`,
	`{"cluster":{"enabled":true,"node-timeout":%s}}`,
	`{"cluster":{"enabled":true,"require-full-coverage":%s}}`,
	`{"cluster":{%s:1}}`,
	`{"sentinel":{"down-after-milliseconds":%s}}`,
	`{"sentinel":{%s:1}}`,
	`{"sentinel":{"resources":{"requests":{"memory":%s}}}}`,
	`{"security":{"level":%s}}`,
	`{"security":{"level":"TLS","secret":%s}}`,
	`{"security":{%s:"x"}}`,
	`{%s:"1"}`,
	`{"global":{"a":%s}}`,
}, "postgresql": {
	`{"image":{"repository":%s,"tag":"15"}}`,
	`{"image":{"tag":%s}}`,
	`{"image":{"pullPolicy":%s}}`,
	`{"storage":{"size":%s}}`,
	`{"storage":{"ephemeral":true,"size":%s}}`,
	`{"storage":{"className":%s}}`,
	`{"storage":{"ephemeral":%s}}`,
	`{"nodes":%s}`,
	`{"synchronous":%s}`,
	`{"networkPolicy":{"enabled":%s}}`,
	`{"resources":{"requests":{"cpu":%s}}}`,
	`{"resources":{"limits":{%s:"1"}}}`,
	`{"settings":{"shared_buffers":%s}}`,
	`{"settings":{"checkpoint_timeout":%s}}`,
	`{"settings":{"max_connections":%s}}`,
	`{"settings":{"wal_compression":%s}}`,
	`{"settings":{%s:"1"}}`,
	`{"security":{"level":%s}}`,
	`{"security":{"level":"Auth","secret":%s}}`,
	`{"security":{%s:"x"}}`,
	`{%s:"1"}`,
	`{"global":{"a":%s}}`,
}}

func TestHostileValuesAreRefused(t *testing.T) {
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		if len(leaves[entry.Chart]) == 0 {
			t.Errorf("%s: nobody has listed its values", entry.Chart)
		}
		for _, leaf := range leaves[entry.Chart] {
			for _, word := range hostile {
				encoded, err := json.Marshal(word)
				if err != nil {
					t.Fatal(err)
				}
				values := fmt.Sprintf(leaf, encoded)
				if _, err := helm.Render(releaseOf(t, entry.Chart, values)); err == nil {
					t.Errorf("%s rendered with %.200s", entry.Chart, values)
				}
			}
		}
	}
}

// Names that Kubernetes allows, and YAML without quotes takes for something else.
func TestNamesThatLookLikeOtherTypesStayNames(t *testing.T) {
	for _, name := range []string{"true", "null", "no", "123", "1e3", "0x1f", "0o7", "1-1-2026"} {
		release := etcdRelease(t, fmt.Sprintf(`{"storage":{"className":%q}}`, name))
		release.Namespace = name
		manifest, err := helm.Render(release)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		set, container := memberOf(t, manifest)
		if set.Namespace != name || *set.Spec.VolumeClaimTemplates[0].Spec.StorageClassName != name {
			t.Errorf("%s became the namespace %q and the class %q", name, set.Namespace, *set.Spec.VolumeClaimTemplates[0].Spec.StorageClassName)
		}
		if want := "http://$(POD_NAME).run-1." + name + ".svc:2379"; flag(t, container, "advertise-client-urls") != want {
			t.Errorf("%s: %s", name, flag(t, container, "advertise-client-urls"))
		}
	}
}

// What is allowed can change the value of a flag that it is for, and nothing else.
func TestValuesChangeNoOtherArgument(t *testing.T) {
	_, plain := member(t, "")
	_, changed := member(t, `{"image":{"repository":"169.254.169.254:80/latest/meta-data","tag":"v1"},
		"settings":{"auto-compaction-retention":"5m"},"resources":{"requests":{"cpu":"1"}}}`)
	for i, arg := range changed.Args {
		if arg != plain.Args[i] && !strings.HasPrefix(arg, "--auto-compaction-retention=") {
			t.Errorf("%s became %s", plain.Args[i], arg)
		}
	}
	if !slices.Equal(plain.Command, changed.Command) || len(plain.Args) != len(changed.Args) || len(changed.Env) != len(plain.Env) {
		t.Errorf("the command became %v %v", changed.Command, changed.Args)
	}
}

// An uninstall runs none, since others may write the record that names them.
func TestNoStoresChartHasHooks(t *testing.T) {
	err := fs.WalkDir(Stores(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(Stores(), path)
		if strings.Contains(string(content), "helm.sh/hook") {
			t.Errorf("%s has a hook", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
