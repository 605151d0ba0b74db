package charts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// postgresqlConfig is what the members' configuration files hold.
func postgresqlConfig(t *testing.T, values string) map[string]string {
	t.Helper()
	manifest, err := helm.Render(releaseOf(t, "postgresql", values))
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range strings.Split(manifest, "\n---\n") {
		var config corev1.ConfigMap
		if err := yaml.Unmarshal([]byte(document), &config); err != nil {
			t.Fatal(err)
		}
		if config.Kind == "ConfigMap" {
			return config.Data
		}
	}
	t.Fatalf("no ConfigMap in:\n%s", manifest)
	return nil
}

func TestPostgresqlCommitsWaitForAMajority(t *testing.T) {
	for values, want := range map[string]string{
		`{}`:                             "''",
		`{"nodes":1,"synchronous":true}`: "''",
		`{"nodes":2,"synchronous":true}`: `'ANY 1 ("run-1-1")'`,
		`{"nodes":3,"synchronous":true}`: `'ANY 1 ("run-1-1", "run-1-2")'`,
		`{"nodes":4,"synchronous":true}`: `'ANY 2 ("run-1-1", "run-1-2", "run-1-3")'`,
		`{"nodes":5,"synchronous":true}`: `'ANY 2 ("run-1-1", "run-1-2", "run-1-3", "run-1-4")'`,
	} {
		config := postgresqlConfig(t, values)["postgresql.conf"]
		if !strings.Contains(config, "\nsynchronous_standby_names = "+want+"\n") {
			t.Errorf("%s: want %s in\n%s", values, want, config)
		}
	}
}

// The modes differ by one value of the chart, which it has to know.
func TestPostgresqlModesAreValuesOfTheChart(t *testing.T) {
	entry, _ := catalog.Find("postgresql")
	for i := range entry.Modes {
		mode := &entry.Modes[i]
		synchronous := strings.HasPrefix(mode.Name, "sync")
		config := postgresqlConfig(t, fmt.Sprintf(`{"synchronous":%v}`, mode.Values["synchronous"]))["postgresql.conf"]
		if strings.Contains(config, "ANY 1") != synchronous {
			t.Errorf("%s: %s", mode.Name, config)
		}
	}
}

func TestPostgresqlTakesItsSettings(t *testing.T) {
	for name, c := range map[string]struct{ values, want string }{
		"a default":                   {`{}`, "shared_buffers = '128MB'"},
		"a size":                      {`{"settings":{"shared_buffers":"1GB"}}`, "shared_buffers = '1GB'"},
		"a number":                    {`{"settings":{"max_connections":1000000}}`, ""},
		"a larger number":             {`{"settings":{"max_connections":5000}}`, "max_connections = '5000'"},
		"a quarter of the volume":     {`{"storage":{"size":"2Gi"}}`, "max_wal_size = '512MB'"},
		"of a small one":              {`{"storage":{"size":"100Mi"}}`, "max_wal_size = '64MB'"},
		"at most 1 GB":                {`{"storage":{"size":"1Ti"}}`, "max_slot_wal_keep_size = '1024MB'"},
		"as it is said":               {`{"settings":{"max_wal_size":"4GB"}}`, "max_wal_size = '4GB'"},
		"it is durable":               {`{}`, "fsync = on"},
		"room for all base backups":   {`{"nodes":9}`, "max_wal_senders = 18"},
		"room for all standbys' logs": {`{"nodes":9}`, "max_replication_slots = 9"},
	} {
		if c.want == "" {
			if _, err := helm.Render(releaseOf(t, "postgresql", c.values)); err == nil {
				t.Errorf("%s: %s is taken", name, c.values)
			}
			continue
		}
		if config := postgresqlConfig(t, c.values)["postgresql.conf"]; !strings.Contains(config, "\n"+c.want+"\n") {
			t.Errorf("%s: %q is not in\n%s", name, c.want, config)
		}
	}
}

func TestPostgresqlRefusesWhatItDoesNotKnow(t *testing.T) {
	for values, want := range map[string]string{
		`{"settings":{"fsync":"off"}}`:                           "fsync",
		`{"settings":{"synchronous_commit":"off"}}`:              "/settings/synchronous_commit",
		`{"settings":{"synchronous_standby_names":"*"}}`:         "synchronous_standby_names",
		`{"settings":{"shared_buffers":"1GB'\nfsync = 'off"}}`:   "/settings/shared_buffers",
		`{"settings":{"checkpoint_timeout":"1s\narchive=on"}}`:   "/settings/checkpoint_timeout",
		`{"settings":{"max_connections":"100; archive=on"}}`:     "/settings/max_connections",
		`{"synchronous":"yes"}`:                                  "/synchronous",
		`{"nodes":10}`:                                           "/nodes",
		`{"storage":{"size":"0"}}`:                               "/storage/size",
		`{"env":[{"name":"POSTGRES_PASSWORD","value":"hello"}]}`: "env",
	} {
		if _, err := helm.Render(releaseOf(t, "postgresql", values)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", values, err, want)
		}
	}
}

func TestPostgresqlWithoutItsPrimaryIsNotRestarted(t *testing.T) {
	_, container := memberIn(t, releaseOf(t, "postgresql", ""))
	if container.StartupProbe != nil {
		t.Errorf("a standby that waits for its primary's data is ended by %v", container.StartupProbe)
	}
	alive := strings.Join(container.LivenessProbe.Exec.Command, " ")
	// 2 is no answer at all; 1 is that it recovers, or takes no more connections.
	if !strings.Contains(alive, "--host=127.0.0.1") || !strings.Contains(alive, "-ne 2") || !strings.Contains(alive, "postmaster.pid") {
		t.Errorf("it is alive by %s", alive)
	}
}

func TestPostgresqlPassesRestrictedPodSecurity(t *testing.T) {
	set, container := memberIn(t, releaseOf(t, "postgresql", ""))
	pod, own := set.Spec.Template.Spec.SecurityContext, container.SecurityContext
	if !*pod.RunAsNonRoot || *pod.RunAsUser != 999 || *pod.FSGroup != 999 || pod.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("pod: %+v", pod)
	}
	if *own.AllowPrivilegeEscalation || !*own.ReadOnlyRootFilesystem || !slices.Contains(own.Capabilities.Drop, "ALL") {
		t.Errorf("container: %+v", own)
	}
	for _, values := range []string{`{}`, `{"storage":{"ephemeral":true,"size":"2Gi"}}`, `{"storage":{"ephemeral":true}}`} {
		set, _ := memberIn(t, releaseOf(t, "postgresql", values))
		if claims, volumes := len(set.Spec.VolumeClaimTemplates), len(set.Spec.Template.Spec.Volumes); claims+volumes != 2 || (claims == 1) != (values == `{}`) {
			t.Errorf("%s: %d claims and %d volumes", values, claims, volumes)
		}
	}
}

func TestPostgresqlLetsInWhoHasThePassword(t *testing.T) {
	for level, want := range map[string]string{
		"None": "host all postgres all trust\nhost replication postgres all trust\n",
		"Auth": "host all postgres all scram-sha-256\nhost replication postgres all scram-sha-256\n",
		"TLS":  "hostssl all postgres all scram-sha-256\nhostssl replication postgres all scram-sha-256\n",
	} {
		config := postgresqlConfig(t, secured(level))
		if config["pg_hba.conf"] != want {
			t.Errorf("%s: %s", level, config["pg_hba.conf"])
		}
		if encrypts := strings.Contains(config["postgresql.conf"], "\nssl = on\n"); encrypts != (level == "TLS") {
			t.Errorf("%s: encrypts %v", level, encrypts)
		}
		_, container := memberIn(t, releaseOf(t, "postgresql", secured(level)))
		if !slices.Contains(container.Env, corev1.EnvVar{Name: "SECURITY", Value: level}) {
			t.Errorf("%s: the start script is told %+v", level, container.Env)
		}
	}
}
