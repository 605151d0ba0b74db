package cgroup

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestHierarchiesAreReadFromMountinfo(t *testing.T) {
	const (
		tmpfs   = "30 20 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
		memory  = "31 30 0:27 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
		cpu     = "32 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
		systemd = "33 30 0:29 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
		unified = "34 30 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		v2      = "35 20 0:31 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
		bound   = "36 20 0:27 /docker/x /mnt/part rw - cgroup cgroup rw,memory\n"
		again   = "37 20 0:27 / /mnt/again rw - cgroup cgroup rw,memory\n"
	)
	mem := Hierarchy{Mount: "/sys/fs/cgroup/memory", Controllers: []string{"memory"}}
	cases := map[string]struct {
		mountinfo string
		want      []Hierarchy
	}{
		"v1 with the unified hierarchy beside it": {
			tmpfs + memory + cpu + systemd + unified,
			[]Hierarchy{
				mem,
				{Mount: "/sys/fs/cgroup/cpu,cpuacct", Controllers: []string{"cpu", "cpuacct"}},
				{Mount: "/sys/fs/cgroup/systemd"},
				{Mount: "/sys/fs/cgroup/unified", V2: true},
			},
		},
		"v2 alone":                        {v2, []Hierarchy{{Mount: "/sys/fs/cgroup", V2: true}}},
		"a bound part is no hierarchy":    {bound, nil},
		"a second mount of one hierarchy": {memory + again, []Hierarchy{mem}},
		"lines that make no sense":        {"what\n\n - \n1 2 3 - cgroup\n", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := parseMounts(c.mountinfo); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestMissingControllersAreNamed(t *testing.T) {
	unified := t.TempDir()
	if err := os.WriteFile(filepath.Join(unified, "cgroup.controllers"), []byte("cpu io memory\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		hierarchies []Hierarchy
		want        []string
	}{
		"v1 has all":           {[]Hierarchy{{Controllers: []string{"cpu"}}, {Controllers: []string{"cpuset", "memory"}}, {Controllers: []string{"pids"}}}, nil},
		"v1 without memory":    {[]Hierarchy{{Controllers: []string{"cpu", "cpuset", "pids"}}}, []string{"memory"}},
		"v2 lacks two":         {[]Hierarchy{{Mount: unified, V2: true}}, []string{"cpuset", "pids"}},
		"v1 and v2 make it up": {[]Hierarchy{{Mount: unified, V2: true}, {Controllers: []string{"cpuset", "pids"}}}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Missing(c.hierarchies)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestTheRootOfAHierarchyIsNeverWalked(t *testing.T) {
	for _, path := range []string{"", "/", "//"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("path %q was accepted", path)
				}
			}()
			_ = Remove([]Hierarchy{{Mount: t.TempDir()}}, path)
		}()
	}
}

// Plain folders stand in for a hierarchy: cgroups are made and removed the same way.
func TestMakeIsRepeatableAndRemoveLeavesNeighboursAlone(t *testing.T) {
	root := t.TempDir()
	h := []Hierarchy{{Mount: root, Controllers: []string{"memory"}}}
	if err := os.MkdirAll(filepath.Join(root, "kvbench-of-another"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Make(h, "/kvbench/node1/system"); err != nil {
		t.Fatal(err)
	}
	if err := Make(h, "/kvbench/node1/system"); err != nil {
		t.Fatalf("a second time: %v", err)
	}
	if !Exists(h, "/kvbench/node1/system") {
		t.Fatal("it was not made")
	}
	if err := Remove(h, "/kvbench"); err != nil {
		t.Fatal(err)
	}
	if Exists(h, "/kvbench") || !Exists(h, "/kvbench-of-another") {
		t.Error("removed too little or too much")
	}
}

func TestWeightsAreOfTheControllersScale(t *testing.T) {
	one, two, memory := t.TempDir(), t.TempDir(), t.TempDir()
	machine := []Hierarchy{{Mount: one, Controllers: []string{"cpu", "cpuacct"}}, {Mount: two, V2: true}, {Mount: memory, Controllers: []string{"memory"}}}
	if err := Make(machine, "/kvbench"); err != nil {
		t.Fatal(err)
	}
	if err := Weigh(machine, "/kvbench", 0.5); err == nil {
		t.Error("nothing was said of a cgroup whose weight isn't there")
	}
	for _, file := range []string{filepath.Join(one, "kvbench/cpu.shares"), filepath.Join(two, "kvbench/cpu.weight")} {
		if err := os.WriteFile(file, []byte("1"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Weigh(machine, "/kvbench", 0.5); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{filepath.Join(one, "kvbench/cpu.shares"): "512", filepath.Join(two, "kvbench/cpu.weight"): "50"} {
		if got, _ := os.ReadFile(file); string(got) != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
}

func TestAnEmptyCpusetTakesTheParents(t *testing.T) {
	parent := t.TempDir()
	child := filepath.Join(parent, "child")
	if err := os.Mkdir(child, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{
		"cpuset.cpus": "0-1\n", "cpuset.mems": "0\n", "child/cpuset.cpus": "\n", "child/cpuset.mems": "7\n",
	} {
		if err := os.WriteFile(filepath.Join(parent, file), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := inheritCPUs(child); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"cpuset.cpus": "0-1\n", "cpuset.mems": "7\n"} {
		if got, _ := os.ReadFile(filepath.Join(child, file)); string(got) != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
}
