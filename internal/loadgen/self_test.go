package loadgen

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func setStat(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestThrottlingIsReadFromEitherCgroup(t *testing.T) {
	dir := t.TempDir()
	v2, v1 := filepath.Join(dir, "v2"), filepath.Join(dir, "v1")
	setStat(t, v2, "usage_usec 5\nnr_throttled 1\nthrottled_usec 7000\n")
	setStat(t, v1, "nr_periods 5\nnr_throttled 1\nthrottled_time 7000000\n")
	for _, path := range []string{v2, v1} {
		s := newSelf([]string{filepath.Join(dir, "none"), path})
		if got := s.since().throttledMicros; got == nil || *got != 0 {
			t.Errorf("%s: %v before anything happened", path, got)
		}
		setStat(t, path, "throttled_usec 9500\n")
		if got := s.since().throttledMicros; got == nil || *got != 2500 {
			t.Errorf("%s: throttled for %v µs, want 2500", path, got)
		}
	}
}

// A pod's quota is above that of its container, which has none.
func TestTheQuotaOfAGroupAboveIsSeen(t *testing.T) {
	dir := t.TempDir()
	own, pod := filepath.Join(dir, "own"), filepath.Join(dir, "pod")
	setStat(t, own, "usage_usec 5\nthrottled_usec 100\n")
	setStat(t, pod, "usage_usec 5\nthrottled_usec 7000\n")
	s := newSelf([]string{own, pod})
	setStat(t, own, "usage_usec 5\nthrottled_usec 300\n")
	setStat(t, pod, "usage_usec 5\nthrottled_usec 207000\n")
	if got := s.since().throttledMicros; got == nil || *got != 200_000 {
		t.Errorf("throttled for %v µs, want 200,000", got)
	}
}

func TestAQuotaThatNobodyTellsIsNotNone(t *testing.T) {
	if got := newSelf([]string{filepath.Join(t.TempDir(), "none")}).since().throttledMicros; got != nil {
		t.Errorf("throttled for %d µs, and nothing says so", *got)
	}
}

func TestTheCgroupsAreTheProcesssOwnAndThoseAbove(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"version 2, in a container", "0::/\n", []string{"/sys/fs/cgroup/cpu.stat"}},
		{"version 2, in a slice", "0::/user.slice/a.scope\n", []string{"/sys/fs/cgroup/user.slice/a.scope/cpu.stat", "/sys/fs/cgroup/user.slice/cpu.stat", "/sys/fs/cgroup/cpu.stat"}},
		{"version 1", "5:cpuset:/x\n4:cpu,cpuacct:/pod/one\n", []string{
			"/sys/fs/cgroup/cpu/pod/one/cpu.stat", "/sys/fs/cgroup/cpu,cpuacct/pod/one/cpu.stat",
			"/sys/fs/cgroup/cpu/pod/cpu.stat", "/sys/fs/cgroup/cpu,cpuacct/pod/cpu.stat",
			"/sys/fs/cgroup/cpu/cpu.stat", "/sys/fs/cgroup/cpu,cpuacct/cpu.stat"}},
		{"both", "1:cpu:/a\n0::/\n", []string{"/sys/fs/cgroup/cpu/a/cpu.stat", "/sys/fs/cgroup/cpu/a/cpu.stat",
			"/sys/fs/cgroup/cpu/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat", "/sys/fs/cgroup/cpu.stat"}},
		{"another namespace's", "0::/../a\n", []string{"/sys/fs/cgroup/a/cpu.stat", "/sys/fs/cgroup/cpu.stat"}},
		{"nothing", "", nil},
		{"rubbish", "1:2\n::\n", nil},
	} {
		if got := statsOf([]byte(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheCollectorsWorkIsSeen(t *testing.T) {
	s := newSelf(nil)
	for range 20 {
		runtime.GC()
	}
	if got := s.since().gcCPUMicros; got <= 0 {
		t.Errorf("20 collections took %d µs", got)
	}
}
