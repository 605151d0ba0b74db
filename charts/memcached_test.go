package charts

import (
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/helm"
)

func TestMemcachedTakesItsSettingsAsOptions(t *testing.T) {
	for name, c := range map[string]struct {
		values string
		want   []string
	}{
		"by default": {``, []string{"--port=11211", "--conn-limit=8192", "--max-item-size=1048576", "--memory-limit=256", "--threads=4"}},
		"others": {`{"settings":{"disable-evictions":true,"memory-limit":64}}`,
			[]string{"--port=11211", "--conn-limit=8192", "--disable-evictions", "--max-item-size=1048576", "--memory-limit=64", "--threads=4"}},
		"evictions as they are": {`{"settings":{"disable-evictions":false,"conn-limit":null,"threads":null}}`,
			[]string{"--port=11211", "--max-item-size=1048576", "--memory-limit=256"}},
	} {
		_, container := memberIn(t, releaseOf(t, "memcached", c.values))
		if !slices.Equal(container.Args, c.want) {
			t.Errorf("%s: %v, want %v", name, container.Args, c.want)
		}
	}
}

func TestMemcachedTakesNoItemsThatEndIt(t *testing.T) {
	for values, want := range map[string]string{
		`{"settings":{"max-item-size":1500000}}`:                      "max-item-size",
		`{"settings":{"max-item-size":67108864,"memory-limit":64}}`:   "at most half of settings.memory-limit",
		`{"settings":{"max-item-size":1048576,"memory-limit":null}}`:  "",
		`{"settings":{"max-item-size":67108864,"memory-limit":1024}}`: "",
	} {
		_, err := helm.Render(releaseOf(t, "memcached", values))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", values, err)
		}
	}
}

func TestMemcachedHasNoVolume(t *testing.T) {
	set, container := memberIn(t, releaseOf(t, "memcached", `{"nodes":9,"image":{"tag":"1.6"},"storage":{"ephemeral":true}}`))
	if *set.Spec.Replicas != 9 || container.Image != "docker.io/library/memcached:1.6" {
		t.Errorf("%d replicas of %s", *set.Spec.Replicas, container.Image)
	}
	if len(set.Spec.VolumeClaimTemplates)+len(set.Spec.Template.Spec.Volumes)+len(container.VolumeMounts) > 0 {
		t.Errorf("volumes %v", set.Spec.Template.Spec.Volumes)
	}
}

func TestMemcachedRefusesWhatItDoesNotKnow(t *testing.T) {
	for values, want := range map[string]string{
		`{"storage":{"ephemeral":false}}`:         "/storage/ephemeral",
		`{"storage":{"size":"1Gi"}}`:              "size",
		`{"settings":{"memory-limit":"64 -v"}}`:   "/settings/memory-limit",
		`{"settings":{"max-item-size":"2m"}}`:     "max-item-size",
		`{"settings":{"disable-evictions":"no"}}`: "/settings/disable-evictions",
		`{"nodes":10}`:          "/nodes",
		`{"extraArgs":["--x"]}`: "extraArgs",
	} {
		if _, err := helm.Render(releaseOf(t, "memcached", values)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", values, err, want)
		}
	}
}
