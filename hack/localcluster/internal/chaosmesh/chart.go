package chaosmesh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/hack/localcluster/internal/binaries"
	"github.com/kvbench/kvbench/hack/localcluster/internal/images"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/scratch"
)

// Chart is a prepared copy of Chaos Mesh's Helm chart and the values for a local cluster.
type Chart struct {
	Dir    string
	Values string
}

// chartRecipe counts changes of what is done to the chart.
const chartRecipe = "1"

// Chart prepares the copy, once for each version.
func (m Maker) Chart(ctx context.Context) (Chart, error) {
	built, _, err := m.Cache.Missing(binaries.ChaosMesh)
	if err != nil {
		return Chart{}, err
	}
	values := valuesFor(built.Version)
	sum := sha256.Sum256([]byte(chartRecipe + values))
	dir := filepath.Join(m.Charts, "chaos-mesh-"+built.Version+"-"+hex.EncodeToString(sum[:])[:8])
	chart := Chart{Dir: filepath.Join(dir, "chaos-mesh"), Values: filepath.Join(dir, "values-local.yaml")}
	if _, err := os.Stat(dir); err == nil {
		return chart, nil
	}
	module, err := m.moduleDir(ctx)
	if err != nil {
		return Chart{}, err
	}
	temp, remove, err := scratch.Dir(m.Charts)
	if err != nil {
		return Chart{}, err
	}
	defer remove()
	if err := copyChart(filepath.Join(module, "helm", "chaos-mesh"), filepath.Join(temp, "chaos-mesh")); err != nil {
		return Chart{}, fmt.Errorf("copying Chaos Mesh's chart: %w", err)
	}
	if err := os.WriteFile(filepath.Join(temp, "values-local.yaml"), []byte(values), 0o644); err != nil {
		return Chart{}, err
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return Chart{}, err
	}
	if err := os.Rename(temp, dir); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return chart, nil
		}
		return Chart{}, err
	}
	return chart, nil
}

// copyChart copies the folder, and repairs the CRDs on the way. The copy is
// writable, which Go's module cache is not.
func copyChart(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.HasPrefix(relative, "crds"+string(filepath.Separator)) {
			if content, err = repairCRD(content); err != nil {
				return fmt.Errorf("repairing %s: %w", relative, err)
			}
		}
		return os.WriteFile(target, content, 0o644)
	})
}

// repairCRD adds partitionBehavior wherever a CRD describes a network fault. The
// API's Go types are some days newer than the chart's CRDs: their webhook sets
// the field's default, the API server would drop it as unknown, and each update
// would then look like a change of the spec, which the webhook refuses; the fault
// would never be injected. Only "drop" is allowed, because "reject" is not in
// these programs yet, and would silently drop.
func repairCRD(content []byte) ([]byte, error) {
	var crd map[string]any
	if err := yaml.Unmarshal(content, &crd); err != nil {
		return nil, err
	}
	if !addPartitionBehavior(crd) {
		return content, nil
	}
	return yaml.Marshal(crd)
}

func addPartitionBehavior(node any) bool {
	changed := false
	switch n := node.(type) {
	case []any:
		for _, child := range n {
			changed = addPartitionBehavior(child) || changed
		}
	case map[string]any:
		for _, child := range n {
			changed = addPartitionBehavior(child) || changed
		}
		properties, _ := n["properties"].(map[string]any)
		if properties == nil || properties["partitionBehavior"] != nil || !knowsPartition(properties["action"]) {
			return changed
		}
		properties["partitionBehavior"] = map[string]any{
			"type": "string", "enum": []any{"drop"}, "default": "drop",
			"description": "How packets are handled during a partition. These programs drop them.",
		}
		changed = true
	}
	return changed
}

// knowsPartition says whether the schema of an action allows "partition".
func knowsPartition(action any) bool {
	schema, _ := action.(map[string]any)
	enum, _ := schema["enum"].([]any)
	for _, value := range enum {
		if value == "partition" {
			return true
		}
	}
	return false
}

// valuesFor are the chart's values: small, because everything shares one
// machine, and without the parts whose images no package registry has.
func valuesFor(version string) string {
	return fmt.Sprintf(`# Made by localcluster for its own clusters.
images:
  tag: %q
enableProfiling: false
controllerManager:
  replicaCount: 1
  leaderElection:
    enabled: false
  resources:
    requests: {cpu: 10m, memory: 64Mi}
  podChaos:
    podFailure:
      pauseImage: %s
chaosDaemon:
  runtime: containerd
  socketPath: %s/containerd.sock
  resources:
    requests: {cpu: 10m, memory: 48Mi}
dashboard:
  create: false
dnsServer:
  create: false
`, version, images.PauseImage, layout.ContainerdRun)
}
