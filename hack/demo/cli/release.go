package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"helm.sh/helm/v4/pkg/action"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/cli"
	"helm.sh/helm/v4/pkg/kube"
	"helm.sh/helm/v4/pkg/release/common"
	releasev1 "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage/driver"
	"sigs.k8s.io/yaml"
)

// release is a Helm release as it should be.
type release struct {
	Name      string
	Namespace string
	// PodSecurity is the level that the namespace enforces.
	PodSecurity string
	Chart       string // a folder, or a name in Repo
	Repo        string
	Version     string
	Values      map[string]any
}

// contentLabel holds the hash of chart and values, so that an unchanged release is left
// alone.
const contentLabel = "kvbench.io/content"

// helmTimeout bounds the calls of one install or upgrade; rollouts are waited for apart.
const helmTimeout = 5 * time.Minute

func chaosMesh(chart string, values map[string]any) *release {
	return &release{Name: "chaos-mesh", Namespace: "chaos-mesh", PodSecurity: "privileged", Chart: chart, Values: values}
}

func kvbench(i image, values map[string]any) *release {
	all := map[string]any{"image": map[string]any{"repository": i.Repository, "tag": i.Tag}}
	maps.Copy(all, values)
	return &release{
		Name: "kvbench", Namespace: "kvbench-system", PodSecurity: "restricted", Chart: "charts/kvbench", Values: all,
	}
}

func readValues(path string) (map[string]any, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(content, &values); err != nil {
		return nil, fmt.Errorf("reading Helm values from %s: %w", path, err)
	}
	return values, nil
}

// load reads the chart, from its repository if it has one.
func (r *release) load() (*chart.Chart, error) {
	path := r.Chart
	if r.Repo != "" {
		from := action.ChartPathOptions{RepoURL: r.Repo, Version: r.Version}
		located, err := from.LocateChart(r.Chart, cli.New())
		if err != nil {
			return nil, fmt.Errorf("fetching the chart %s %s from %s: %w", r.Chart, r.Version, r.Repo, err)
		}
		path = located
	}
	return loader.Load(path)
}

// contentHash is the hash of all that a release is made of.
func contentHash(c *chart.Chart, values map[string]any) (string, error) {
	sum := sha256.New()
	for _, f := range c.Raw {
		fmt.Fprintf(sum, "%s %d\n", f.Name, len(f.Data))
		sum.Write(f.Data)
	}
	asJSON, err := json.Marshal(values)
	if err != nil {
		return "", err
	}
	sum.Write(asJSON)
	return hex.EncodeToString(sum.Sum(nil))[:32], nil
}

// Apply installs or upgrades the release, unless it is as it should be.
func (r *release) Apply(ctx context.Context, k *cluster) (changed bool, err error) {
	c, err := r.load()
	if err != nil {
		return false, err
	}
	hash, err := contentHash(c, r.Values)
	if err != nil {
		return false, err
	}
	config := action.NewConfiguration()
	if err := config.Init(k.getter(r.Namespace), r.Namespace, "secret"); err != nil {
		return false, err
	}
	last, err := r.last(config)
	if err != nil {
		return false, err
	}
	if last != nil && last.Info.Status == common.StatusDeployed && last.Labels[contentLabel] == hash {
		return false, nil
	}
	// Helm never touches a CRD that exists, but these may be newer.
	if err := k.applyCRDs(ctx, c.CRDObjects()); err != nil {
		return false, err
	}
	if err := k.ensureNamespace(ctx, r.Namespace, r.PodSecurity); err != nil {
		return false, err
	}
	labels := map[string]string{contentLabel: hash}
	if last == nil {
		return true, r.install(config, c, labels)
	}
	return true, r.upgrade(config, c, labels)
}

// last is the newest revision. One that a killed installer left pending is marked
// failed, or Helm would refuse every later call.
func (r *release) last(config *action.Configuration) (*releasev1.Release, error) {
	found, err := config.Releases.Last(r.Name)
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for the Helm release %s: %w", r.Name, err)
	}
	last, ok := found.(*releasev1.Release)
	if !ok {
		return nil, fmt.Errorf("the Helm release %s has an unknown type %T: helm uninstall it", r.Name, found)
	}
	if last.Info.Status.IsPending() {
		last.SetStatus(common.StatusFailed, "its installer was interrupted")
		if err := config.Releases.Update(last); err != nil {
			return nil, err
		}
	}
	return last, nil
}

func (r *release) install(config *action.Configuration, c *chart.Chart, labels map[string]string) error {
	do := action.NewInstall(config)
	do.ReleaseName, do.Namespace, do.Labels = r.Name, r.Namespace, labels
	do.SkipCRDs, do.ForceConflicts = true, true
	do.WaitStrategy, do.Timeout = kube.HookOnlyStrategy, helmTimeout
	if _, err := do.Run(c, r.Values); err != nil {
		return fmt.Errorf("installing the Helm release %s: %w", r.Name, err)
	}
	return nil
}

func (r *release) upgrade(config *action.Configuration, c *chart.Chart, labels map[string]string) error {
	do := action.NewUpgrade(config)
	do.Namespace, do.Labels, do.ResetValues = r.Namespace, labels, true
	do.ServerSideApply, do.ForceConflicts, do.MaxHistory = "true", true, 3
	do.SkipCRDs = true
	do.WaitStrategy, do.Timeout = kube.HookOnlyStrategy, helmTimeout
	if _, err := do.Run(r.Name, c, r.Values); err != nil {
		return fmt.Errorf("upgrading the Helm release %s: %w", r.Name, err)
	}
	return nil
}
