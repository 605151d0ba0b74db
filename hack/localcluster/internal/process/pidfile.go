// Package process starts daemons that outlive the command, and ends exactly those. It identifies a process
// by its pid and its start time together. So it never kills a process that got the same pid later.
package process

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Identity tells one process from all others since the machine's start.
type Identity struct {
	Pid int `json:"pid"`
	// Start is in clock ticks since boot, as /proc/PID/stat has it.
	Start uint64 `json:"start"`
	// Boot is the boot that Start counts from: after a restart of the machine
	// a pid file is only a leftover.
	Boot string `json:"boot"`
}

// Stat is what /proc/PID/stat says.
type Stat struct {
	Name   string
	State  byte
	Parent int
	Start  uint64
	Pages  uint64
}

// parseStat reads the one line of /proc/PID/stat. The name may hold blanks and
// brackets, so fields are counted from the last bracket.
func parseStat(line string) (Stat, error) {
	open, shut := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || shut < open {
		return Stat{}, fmt.Errorf("no name in %q", line)
	}
	fields := strings.Fields(line[shut+1:])
	if len(fields) < 22 {
		return Stat{}, fmt.Errorf("too few fields in %q", line)
	}
	s := Stat{Name: line[open+1 : shut], State: fields[0][0]}
	var err error
	if s.Parent, err = strconv.Atoi(fields[1]); err != nil {
		return Stat{}, err
	}
	if s.Start, err = strconv.ParseUint(fields[19], 10, 64); err != nil {
		return Stat{}, err
	}
	s.Pages, err = strconv.ParseUint(fields[21], 10, 64)
	return s, err
}

// Read looks a process up.
func Read(pid int) (Stat, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Stat{}, err
	}
	return parseStat(string(content))
}

func bootID() string {
	content, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(content))
}

// Identify notes who pid is now.
func Identify(pid int) (Identity, error) {
	stat, err := Read(pid)
	if err != nil {
		return Identity{}, err
	}
	return Identity{Pid: pid, Start: stat.Start, Boot: bootID()}, nil
}

// Alive says whether that very process still runs. A zombie has ended: where
// init doesn't reap, it stays for ever.
func (id Identity) Alive() bool {
	stat, err := Read(id.Pid)
	if err != nil || id.Boot != bootID() || stat.Start != id.Start {
		return false
	}
	return !stat.ended() || threadRuns(id.Pid)
}

func (s Stat) ended() bool { return s.State == 'Z' || s.State == 'X' }

// threadRuns says whether any thread of the process does. Its first one may have
// ended alone, and has for a moment when another one turns the process into a
// program: the other is then the first.
func threadRuns(pid int) bool {
	for {
		threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			return false
		}
		vanished := false
		for _, thread := range threads {
			content, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/stat", pid, thread.Name()))
			if err != nil {
				vanished = true
				continue
			}
			if stat, err := parseStat(string(content)); err == nil && !stat.ended() {
				return true
			}
		}
		if !vanished {
			return false
		}
	}
}

// Started returns when the process began.
func (id Identity) Started() time.Time {
	content, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return time.Time{}
	}
	up, err := strconv.ParseFloat(strings.Fields(string(content))[0], 64)
	if err != nil {
		return time.Time{}
	}
	// The kernel shows ticks of 1/100 s to every program, whatever its own are.
	age := time.Duration((up - float64(id.Start)/100) * float64(time.Second))
	return time.Now().Add(-age)
}

func (id Identity) save(file string) error {
	content, err := json.Marshal(id)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", content, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// Load reads a pid file.
func Load(dir, name string) (Identity, error) {
	var id Identity
	content, err := os.ReadFile(filepath.Join(dir, name+".pid"))
	if err != nil {
		return id, err
	}
	return id, json.Unmarshal(content, &id)
}

// List names the processes with a pid file in dir, in order.
func List(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.pid"))
	names := make([]string, 0, len(files))
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".pid"))
	}
	slices.Sort(names)
	return names
}
