package live

import (
	"encoding/json"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/wire"
)

const (
	// mostTopology is how much of each observer's file is read, in bytes: some lines.
	mostTopology = 64 << 10
	// topologyAge is for how long a line is told. An observer writes two each second.
	topologyAge = 15 * time.Second
	// mostObservers bounds the files that are read. An observer's pod that is replaced leaves one.
	mostObservers = 16
)

// newestTopology is the newest line of the observers; nil where there is none.
func newestTopology(names []string, read Reader) (newest *bundle.TopologyLine, err error) {
	for _, name := range names[:min(len(names), mostObservers)] {
		tail, err := read(name, mostTopology)
		if err != nil {
			return nil, err
		}
		if line := lastLine(tail.Text); line != nil && (newest == nil || line.AtUnixNanos > newest.AtUnixNanos) {
			newest = line
		}
	}
	return newest, nil
}

// lastLine is the last whole line of a tail that an observer can have written; nil where it isn't one, for the line is only
// shown.
func lastLine(tail []byte) *bundle.TopologyLine {
	var last []byte
	wholeLines(tail, func(line []byte) { last = line })
	line := &bundle.TopologyLine{}
	if last == nil || json.Unmarshal(last, line) != nil || len(line.Members) > report.MaxMembers {
		return nil
	}
	for i := range line.Members {
		if m := &line.Members[i]; len(m.Name) > report.MaxName || len(m.Role) > report.MaxName {
			return nil
		}
	}
	return line
}

func membersOf(line *bundle.TopologyLine) []wire.LiveMember {
	members := make([]wire.LiveMember, len(line.Members))
	for i := range line.Members {
		m := &line.Members[i]
		members[i] = wire.LiveMember{Name: m.Name, Role: m.Role, Up: m.Healthy}
	}
	return members
}
