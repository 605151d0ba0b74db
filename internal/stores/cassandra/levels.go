package cassandra

import (
	"slices"
	"strings"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// levels are the consistency levels of a mode.
type levels struct{ read, write gocql.Consistency }

// of is the level of an operation.
func (l levels) of(kind stores.Kind) gocql.Consistency {
	if kind == stores.Read || kind == stores.Scan {
		return l.read
	}
	return l.write
}

// level is a consistency level by its name in modes, and the replicas of maxReplicas that it waits for.
type level struct {
	name        string
	consistency gocql.Consistency
	replicas    int
}

// ofOwnTables is the level for what a member knows of itself, such as its tables. That has one replica, which is never two or
// three.
func (l level) ofOwnTables() gocql.Consistency {
	if l.consistency == gocql.Two || l.consistency == gocql.Three {
		return gocql.Quorum
	}
	return l.consistency
}

var allLevels = []level{
	{"one", gocql.One, 1}, {"two", gocql.Two, 2}, {"three", gocql.Three, 3}, {"quorum", gocql.Quorum, 2}, {"all", gocql.All, maxReplicas},
}

// derivedModes describes the names that levelsOf knows beside those of Modes.
const derivedModes = "read-LEVEL-write-LEVEL, where each LEVEL is one, two, three, quorum or all"

// levelsOf takes the levels from a mode's name.
func levelsOf(mode string) (read, write level, ok bool) {
	switch mode {
	case "":
		mode = ModeQuorum
	case ModeOne, ModeQuorum, ModeAll:
	default:
		names, begins := strings.CutPrefix(mode, "read-")
		of, is, both := strings.Cut(names, "-write-")
		read, readKnown := findLevel(of)
		write, writeKnown := findLevel(is)
		return read, write, begins && both && readKnown && writeKnown
	}
	both, _ := findLevel(mode)
	return both, both, true
}

func findLevel(name string) (level, bool) {
	i := slices.IndexFunc(allLevels, func(l level) bool { return l.name == name })
	if i < 0 {
		return level{}, false
	}
	return allLevels[i], true
}

// derive is the mode whose reads and writes have levels of their own.
func derive(name string) (*stores.Mode, bool) {
	read, write, ok := levelsOf(name)
	if !ok {
		return nil, false
	}
	m := mode(name, stores.PromiseEventual)
	// As with quorum: a replica is left that has what was acknowledged, and each read asks one of them.
	if write.replicas > 1 && read.replicas+write.replicas > maxReplicas {
		m = mode(name, stores.PromiseDurable, periodic)
		// A keyspace that others made may have more replicas.
		ofMost := func(l level) bool { return l.consistency == gocql.Quorum || l.consistency == gocql.All }
		if write.consistency != gocql.All && !(ofMost(read) && ofMost(write)) && !(read.consistency == gocql.All && ofMost(write)) {
			m.PromiseElsewhere = stores.PromiseEventual
		}
	}
	// Without as many replicas nothing is done.
	fewest := 1
	for _, l := range []level{read, write} {
		if l.consistency == gocql.Two || l.consistency == gocql.Three {
			fewest = max(fewest, l.replicas)
		}
	}
	m.Nodes = m.Nodes[fewest-1:]
	return &m, true
}
