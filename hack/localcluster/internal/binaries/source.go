package binaries

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// SourceVariable names the folder hack/localcluster, if this program runs
// outside of the tree it was built in.
const SourceVariable = "KVBENCH_LOCALCLUSTER_SOURCE"

// Source finds the folder with the groups' go.mod files. They can't be embedded:
// go:embed does not reach into nested modules.
func Source() (string, error) {
	var candidates []string
	if dir := os.Getenv(SourceVariable); dir != "" {
		candidates = append(candidates, dir)
	}
	if _, file, _, ok := runtime.Caller(0); ok {
		candidates = append(candidates, filepath.Join(filepath.Dir(file), "..", ".."))
	}
	if dir, err := os.Getwd(); err == nil {
		for ; dir != "/"; dir = filepath.Dir(dir) {
			candidates = append(candidates, dir, filepath.Join(dir, "hack", "localcluster"))
		}
	}
	for _, dir := range candidates {
		binaries := filepath.Join(dir, "binaries")
		if _, err := os.Stat(filepath.Join(binaries, Kubernetes.Name, "go.mod")); err == nil {
			return binaries, nil
		}
	}
	return "", errors.New("the folder hack/localcluster/binaries is not found: run this from the repository, or set " + SourceVariable)
}
