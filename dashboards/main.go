// Command dashboards writes the Grafana dashboards. Their queries use the metrics of
// docs/reference/metrics.md alone.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", "dashboards", "folder to write into")
	flag.Parse()
	if err := write(*out); err != nil {
		fmt.Fprintln(os.Stderr, "dashboards:", err)
		os.Exit(1)
	}
}

// all are the dashboards, by their UIDs, which are the names of their files too.
func all() (map[string]model, error) {
	built := map[string]model{}
	for _, b := range []*board{fleetBoard(), runBoard(), compareBoard(), recoveryBoard(), storeBoard()} {
		one, err := b.build()
		if err != nil {
			return nil, fmt.Errorf("build the dashboard %s: %w", b.uid, err)
		}
		built[b.uid] = one
	}
	return built, nil
}

func write(folder string) error {
	built, err := all()
	if err != nil {
		return err
	}
	for uid, one := range built {
		content, err := json.MarshalIndent(one, "", "  ")
		if err != nil {
			return fmt.Errorf("encode the dashboard %s: %w", uid, err)
		}
		if err := os.WriteFile(filepath.Join(folder, uid+".json"), append(content, '\n'), 0o644); err != nil {
			return err
		}
	}
	return nil
}
