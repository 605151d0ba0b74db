// Package cgroup makes, fills, empties and removes cgroups in every hierarchy of
// the machine: the separate ones of cgroup v1, the single one of v2, or both.
// It touches only what lies below the path it is given.
package cgroup

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Hierarchy is one mounted cgroup tree.
type Hierarchy struct {
	Mount string
	// V2 is the unified hierarchy.
	V2 bool
	// Controllers of a v1 hierarchy; empty for a named one such as systemd's.
	Controllers []string
}

// Mounted lists the machine's hierarchies.
func Mounted() ([]Hierarchy, error) {
	content, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	found := parseMounts(string(content))
	if len(found) == 0 {
		return nil, fmt.Errorf("no cgroup hierarchy is mounted: mount one with `mount -t cgroup2 none /sys/fs/cgroup`")
	}
	return found, nil
}

// known controllers of v1, to tell them from mount options.
var known = []string{"cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids", "net_cls", "net_prio", "perf_event", "hugetlb", "rdma", "misc"}

// parseMounts reads /proc/self/mountinfo. A hierarchy that is mounted twice counts once.
func parseMounts(mountinfo string) []Hierarchy {
	var found []Hierarchy
	seen := map[string]bool{}
	for line := range strings.Lines(mountinfo) {
		before, after, ok := strings.Cut(strings.TrimSpace(line), " - ")
		fields, types := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(types) < 3 {
			continue
		}
		// A bind mount of a part of the tree is no hierarchy.
		if fields[3] != "/" {
			continue
		}
		h := Hierarchy{Mount: fields[4]}
		identity := "v2"
		switch types[0] {
		case "cgroup2":
			h.V2 = true
		case "cgroup":
			for _, option := range strings.Split(types[2], ",") {
				if slices.Contains(known, option) {
					h.Controllers = append(h.Controllers, option)
				}
				if strings.HasPrefix(option, "name=") {
					identity = option
				}
			}
			if len(h.Controllers) > 0 {
				identity = strings.Join(h.Controllers, ",")
			}
		default:
			continue
		}
		if !seen[identity] {
			seen[identity] = true
			found = append(found, h)
		}
	}
	return found
}

// Missing names the controllers that kubelet needs and the machine lacks.
func Missing(hierarchies []Hierarchy) ([]string, error) {
	have := map[string]bool{}
	unified := ""
	for _, h := range hierarchies {
		for _, c := range h.Controllers {
			have[c] = true
		}
		if h.V2 {
			unified = h.Mount
		}
	}
	need := []string{"cpu", "cpuset", "memory", "pids"}
	if unified != "" {
		content, err := os.ReadFile(unified + "/cgroup.controllers")
		if err != nil {
			return nil, err
		}
		for _, c := range strings.Fields(string(content)) {
			have[c] = true
		}
	}
	var missing []string
	for _, c := range need {
		if !have[c] {
			missing = append(missing, c)
		}
	}
	return missing, nil
}
