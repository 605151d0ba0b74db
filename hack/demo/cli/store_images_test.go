package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/screen"
)

func TestTheImageOfARunsStoreIsLoadedIntoTheLocalCluster(t *testing.T) {
	of := func(store v1alpha1.StoreSpec) *v1alpha1.BenchmarkRun {
		return &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{Store: store}}
	}
	for name, c := range map[string]struct {
		run        *v1alpha1.BenchmarkRun
		kubeconfig string // that the run is done with
		cluster    string // that localcluster has; "" for none
		want       string
	}{
		"a store that is no Go program":    {of(v1alpha1.StoreSpec{Name: "redis"}), "local", "local", "redis"},
		"one that the cluster begins with": {of(v1alpha1.StoreSpec{Name: "etcd"}), "local", "local", ""},
		"one that nobody knows":            {of(v1alpha1.StoreSpec{Name: "rediss"}), "local", "local", ""},
		"one with a chart of its own":      {of(v1alpha1.StoreSpec{Name: "redis", Chart: &v1alpha1.ChartSpec{}}), "local", "local", ""},
		"one that runs already":            {of(v1alpha1.StoreSpec{Name: "redis", Endpoints: []v1alpha1.EndpointSpec{{Address: "a:1"}}}), "local", "local", ""},
		"another cluster":                  {of(v1alpha1.StoreSpec{Name: "redis"}), "kind", "local", ""},
		"another cluster, and no local":    {of(v1alpha1.StoreSpec{Name: "redis"}), "kind", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, folder := range []string{"hack/localcluster", "_output/bin"} {
				if err := os.MkdirAll(folder, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile("kubeconfig", []byte(c.kubeconfig), 0o600); err != nil {
				t.Fatal(err)
			}
			withPrograms(t, map[string]string{"go": ""}) // nothing is to be compiled
			loaded := filepath.Join(t.TempDir(), "loaded")
			script := `#!/bin/sh
case "$1" in
kubeconfig) [ -n "` + c.cluster + `" ] && echo "` + c.cluster + `" ;;
stores) echo memcached; echo redis ;;
store-images) echo "$2" >"` + loaded + `" ;;
esac
`
			if err := os.WriteFile(localProgram, []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := loadStoreImage(context.Background(), screen.Quiet(io.Discard), &cluster{kubeconfig: "kubeconfig"}, c.run); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(loaded)
			if c.want == "" && !errors.Is(err, fs.ErrNotExist) || c.want != "" && string(got) != c.want+"\n" {
				t.Errorf("loaded is %q (%v), want %q", got, err, c.want)
			}
		})
	}
}
