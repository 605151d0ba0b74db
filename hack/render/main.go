// Command render writes the manifests of config/ from the operator's chart, so that
// `kubectl apply -k config/default` and `helm install` can't differ. See
// docs/design/0003-config-from-chart.md.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"
)

// header of a manifest that is written.
const header = "# Rendered from charts/kvbench by `make generate`: change the chart instead.\n"

func main() {
	chart := flag.String("chart", "charts/kvbench", "folder of the chart")
	out := flag.String("out", "config", "folder that has rbac/ and manager/")
	flag.Parse()
	if err := run(*chart, *out); err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

func run(chart, out string) error {
	objects, err := render(chart, nil)
	if err != nil {
		return fmt.Errorf("rendering %s: %w", chart, err)
	}
	for folder, manifests := range sortIntoFolders(objects) {
		content := append([]byte(header), bytes.Join(manifests, []byte("---\n"))...)
		if err := os.WriteFile(filepath.Join(out, folder, "kvbench.yaml"), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// render returns the chart's objects with these values over its defaults, in the order of its files.
func render(path string, over map[string]any) ([]map[string]any, error) {
	chart, err := loader.Load(path)
	if err != nil {
		return nil, err
	}
	release := common.ReleaseOptions{Name: "kvbench", Namespace: "kvbench-system", Revision: 1, IsInstall: true}
	values, err := util.ToRenderValues(chart, over, release, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	// It becomes the label app.kubernetes.io/managed-by, and here that isn't Helm.
	values["Release"].(map[string]any)["Service"] = "kustomize"
	files, err := engine.Render(chart, values)
	if err != nil {
		return nil, err
	}
	var objects []map[string]any
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, document := range strings.Split("\n"+files[name], "\n---") {
			object := map[string]any{}
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if len(object) > 0 {
				objects = append(objects, object)
			}
		}
	}
	return objects, nil
}

// sortIntoFolders separates, as kubebuilder does, who may do what from what runs.
func sortIntoFolders(objects []map[string]any) map[string][][]byte {
	folders := map[string][][]byte{"rbac": nil, "manager": nil}
	for _, object := range objects {
		folder := "manager"
		version, _ := object["apiVersion"].(string)
		if object["kind"] == "ServiceAccount" || strings.HasPrefix(version, "rbac.authorization.k8s.io/") {
			folder = "rbac"
		}
		manifest, err := yaml.Marshal(object)
		if err != nil {
			panic(err) // it was unmarshalled above
		}
		folders[folder] = append(folders[folder], manifest)
	}
	return folders
}
