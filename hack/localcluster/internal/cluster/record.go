// Package cluster brings the local cluster up and down. It calls the other packages in the right order. It
// never mends a cluster of which a part is missing: it removes the rest and makes the cluster anew, which
// takes seconds.
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

// Record is what is known of a cluster beside its processes. It is written
// before anything else is made, so that whatever is found later can be undone.
type Record struct {
	Nodes   int       `json:"nodes"`
	Created time.Time `json:"created"`
	// Complete is set once up has succeeded.
	Complete bool `json:"complete"`
	// Stopped are the nodes that stop-node ended.
	Stopped []string `json:"stopped,omitempty"`
	// Programs are the paths of the binaries, by name.
	Programs map[string]string `json:"programs"`
	// Sysctls are the machine's settings from before.
	Sysctls map[string]string `json:"sysctls"`
	// MountPoints are the folders that were made outside of the state folder.
	MountPoints []string `json:"mountPoints,omitempty"`
}

func loadRecord(p layout.Paths) (*Record, error) {
	content, err := os.ReadFile(p.Record())
	if err != nil {
		return nil, err
	}
	r := &Record{}
	if err := json.Unmarshal(content, r); err != nil {
		return nil, fmt.Errorf("reading %s: %w", p.Record(), err)
	}
	return r, nil
}

func (r *Record) save(p layout.Paths) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.Record()+".new", append(content, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(p.Record()+".new", p.Record())
}

// ErrNone says that there is no cluster.
var ErrNone = errors.New("no cluster is up: start one with `localcluster up`")

// Load returns the record of the cluster that is up.
func Load(p layout.Paths) (*Record, error) {
	r, err := loadRecord(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	return r, err
}
