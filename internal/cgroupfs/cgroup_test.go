package cgroupfs

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

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
		if got := Files([]byte(c.text), "cpu", "cpu.stat", "cpu.stat"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheLimitOfMemoryHasAFileInEachVersion(t *testing.T) {
	got := Files([]byte("2:memory:/a\n0::/b\n"), "memory", "memory.limit_in_bytes", "memory.max")
	want := []string{
		"/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
		"/sys/fs/cgroup/b/memory.max", "/sys/fs/cgroup/memory.max",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheLeastLimitCounts(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pod, own, none := file("pod", "134217728\n"), file("own", "67108864\n"), file("none", "max\n")
	for _, c := range []struct {
		files []string
		want  int64
	}{
		{nil, math.MaxInt64},
		{[]string{filepath.Join(dir, "missing"), none}, math.MaxInt64},
		{[]string{file("v1", "9223372036854771712\n")}, math.MaxInt64},
		{[]string{none, pod}, 128 << 20},
		{[]string{pod, own, none}, 64 << 20},
		{[]string{own, pod}, 64 << 20},
	} {
		if got := leastLimit(c.files); got != c.want {
			t.Errorf("%q: %d, want %d", c.files, got, c.want)
		}
	}
}
