package remotewrite

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// MarkFile is the file in a run's folder that says how much of the run was sent. It is no part of the bundle.
const MarkFile = "remote-write.json"

// mark is its content. It counts samples in the order of seriesOf, so a process that comes later goes on behind them.
type mark struct {
	Samples int  `json:"samples"`
	Over    bool `json:"over"`
	// Trouble is why the rest of the run is not sent.
	Trouble string `json:"trouble,omitempty"`
}

// readMark takes a file that is missing or can't be read for none: the same samples again do no harm.
func readMark(folder string) (m mark) {
	content, err := os.ReadFile(filepath.Join(folder, MarkFile))
	if err != nil || json.Unmarshal(content, &m) != nil || m.Samples < 0 {
		return mark{}
	}
	return m
}
