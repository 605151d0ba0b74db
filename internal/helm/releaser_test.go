package helm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	kubefake "helm.sh/helm/v4/pkg/kube/fake"
	rcommon "helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// cluster is Helm's memory of releases over a client that does nothing, or fails.
type cluster struct {
	releases *storage.Storage
	client   *kubefake.FailingKubeClient
}

func newCluster() *cluster {
	return &cluster{
		releases: storage.Init(driver.NewMemory()),
		client:   &kubefake.FailingKubeClient{PrintingKubeClient: kubefake.PrintingKubeClient{Out: io.Discard}},
	}
}

func (c *cluster) releaser() *Releaser {
	return &Releaser{namespace: "default", configure: func(logger *slog.Logger) (*action.Configuration, error) {
		cfg := action.NewConfiguration(action.ConfigurationSetLogger(logger.Handler()))
		cfg.Releases, cfg.KubeClient = c.releases, c.client
		cfg.Capabilities = common.DefaultCapabilities
		return cfg, nil
	}}
}

func (c *cluster) put(t *testing.T, status rcommon.Status, version int) {
	t.Helper()
	err := c.releases.Create(&release.Release{
		Name: "r", Namespace: "default", Version: version,
		Info: &release.Info{Status: status, Description: "as it says"},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func tinyChart() fs.FS {
	return fstest.MapFS{
		"Chart.yaml":         {Data: []byte("apiVersion: v2\nname: tiny\nversion: 1.0.0\n")},
		"values.yaml":        {Data: []byte("word: hello\n")},
		"values.schema.json": {Data: []byte(`{"properties":{"word":{"type":"string"}},"additionalProperties":false}`)},
		"templates/cm.yaml": {Data: []byte(`apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}
data: {word: {{ required "say a word" .Values.word }}}
`)},
	}
}

func tiny(values string) Release {
	return Release{
		Name: "r", Namespace: "default", Chart: tinyChart(), Values: []byte(values),
		Labels: map[string]string{"kvbench.io/run": "r"},
	}
}

func TestStateFromTheNewestRecord(t *testing.T) {
	for name, c := range map[string]struct {
		records []rcommon.Status
		want    State
	}{
		"never installed":   {nil, State{Status: Absent}},
		"installed":         {[]rcommon.Status{rcommon.StatusDeployed}, State{Deployed, 1, "as it says"}},
		"killed installing": {[]rcommon.Status{rcommon.StatusPendingInstall}, State{Pending, 1, "as it says"}},
		"killed upgrading":  {[]rcommon.Status{rcommon.StatusDeployed, rcommon.StatusPendingUpgrade}, State{Pending, 2, "as it says"}},
		"install failed":    {[]rcommon.Status{rcommon.StatusFailed}, State{Failed, 1, "as it says"}},
		"killed removing":   {[]rcommon.Status{rcommon.StatusUninstalling}, State{Uninstalling, 1, "as it says"}},
		"kept its history":  {[]rcommon.Status{rcommon.StatusUninstalled}, State{Uninstalling, 1, "as it says"}},
		"something new":     {[]rcommon.Status{"mystery"}, State{Failed, 1, "as it says"}},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := newCluster()
			for i, status := range c.records {
				cluster.put(t, status, i+1)
			}
			got, err := cluster.releaser().State(t.Context(), "r")
			if err != nil || got != c.want {
				t.Fatalf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestInstallThenUninstallLeavesNothing(t *testing.T) {
	cluster := newCluster()
	releaser := cluster.releaser()
	if err := releaser.Install(t.Context(), tiny("")); err != nil {
		t.Fatal(err)
	}
	if state, err := releaser.State(t.Context(), "r"); err != nil || state.Status != Deployed {
		t.Fatalf("after the install: %+v, %v", state, err)
	}
	record, err := cluster.releases.Last("r")
	if err != nil {
		t.Fatal(err)
	}
	if labels := record.(*release.Release).Labels; labels["kvbench.io/run"] != "r" {
		t.Errorf("the record's labels are %v", labels)
	}
	if err := releaser.Uninstall(t.Context(), "r"); err != nil {
		t.Fatal(err)
	}
	if state, err := releaser.State(t.Context(), "r"); err != nil || state.Status != Absent {
		t.Fatalf("after the uninstall: %+v, %v", state, err)
	}
}

func TestUninstallEndsEveryState(t *testing.T) {
	for _, status := range []rcommon.Status{
		"", rcommon.StatusDeployed, rcommon.StatusPendingInstall, rcommon.StatusFailed,
		rcommon.StatusUninstalling, rcommon.StatusUninstalled,
	} {
		t.Run(string(status), func(t *testing.T) {
			cluster := newCluster()
			if status != "" {
				cluster.put(t, status, 1)
			}
			releaser := cluster.releaser()
			if err := releaser.Uninstall(t.Context(), "r"); err != nil {
				t.Fatal(err)
			}
			if state, err := releaser.State(t.Context(), "r"); err != nil || state.Status != Absent {
				t.Fatalf("%+v, %v", state, err)
			}
		})
	}
}

func TestAFailedInstallSaysWhyAndIsSeenAsFailed(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "r", errors.New("no rights"))
	cluster := newCluster()
	cluster.client.CreateError = forbidden
	releaser := cluster.releaser()
	// The fake client creates nothing but hooks.
	hooked := tiny("")
	hooked.Chart.(fstest.MapFS)["templates/hook.yaml"] = &fstest.MapFile{Data: []byte(
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hook, annotations: {helm.sh/hook: pre-install}}\n")}
	err := releaser.Install(t.Context(), hooked)
	if !IsForbidden(err) || !strings.Contains(err.Error(), "default/r") {
		t.Fatalf("%v", err)
	}
	if state, err := releaser.State(t.Context(), "r"); err != nil || state.Status != Failed {
		t.Fatalf("%+v, %v", state, err)
	}
}

func TestAnIncompleteUninstallKeepsTheReleaseAndItsCause(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "r", errors.New("no rights"))
	cluster := newCluster()
	cluster.put(t, rcommon.StatusDeployed, 1)
	cluster.client.BuildError = forbidden
	releaser := cluster.releaser()
	err := releaser.Uninstall(t.Context(), "r")
	if !IsForbidden(err) {
		t.Fatalf("%v", err)
	}
	if state, err := releaser.State(t.Context(), "r"); err != nil || state.Status != Failed {
		t.Fatalf("%+v, %v", state, err)
	}
	cluster.client.BuildError = nil
	if err := releaser.Uninstall(t.Context(), "r"); err != nil {
		t.Fatalf("the next try: %v", err)
	}
}

// A controller that is killed, or whose note that the uninstall was incomplete doesn't
// arrive, leaves Helm's word "uninstalled", which Helm says in any case.
func TestARecordThatSaysUninstalledIsNotBelieved(t *testing.T) {
	cluster := newCluster()
	cluster.put(t, rcommon.StatusUninstalled, 1)
	cluster.client.BuildError = errors.New("not reachable")
	releaser := cluster.releaser()
	if err := releaser.Uninstall(t.Context(), "r"); err == nil {
		t.Fatal("the record was forgotten without a look at the objects")
	}
	if state, err := releaser.State(t.Context(), "r"); err != nil || state.Status == Absent {
		t.Fatalf("%+v, %v", state, err)
	}
}

func TestObjectsThatUninstallCouldNotReadAreCauses(t *testing.T) {
	boom := errors.New("connection refused")
	causes := &causes{}
	logger := slog.New(causes)
	logger.Warn("skipping delete of resource because ownership could not be verified", "kind", "Service", "error", boom)
	logger.Warn("skipping delete of resource not owned by this release", "kind", "Service")
	logger.Debug("uninstall: Failed to delete release", slog.Any("error", []error{errors.New("other")}))
	err := causes.err()
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), "other") || len(causes.errs) != 2 {
		t.Fatalf("%v", causes.errs)
	}
}

func TestNothingBeginsWithACancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cluster := newCluster()
	if err := cluster.releaser().Install(ctx, tiny("")); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if state, _ := cluster.releaser().State(t.Context(), "r"); state.Status != Absent {
		t.Fatalf("%+v", state)
	}
}

func TestRenderSaysInOneLineWhatIsWrong(t *testing.T) {
	broken := tiny("")
	broken.Chart = fstest.MapFS{
		"Chart.yaml":       {Data: []byte("apiVersion: v2\nname: tiny\nversion: 1.0.0\n")},
		"templates/x.yaml": {Data: []byte("{{ .Values.a.b.c }}")},
	}
	empty := tiny("")
	empty.Chart = fstest.MapFS{}
	for name, c := range map[string]struct {
		release Release
		want    string
	}{
		"a value of the wrong type": {tiny(`{"word":1}`), "chart tiny doesn't render with these values: at '/word': got number"},
		"an unknown value":          {tiny(`{"wort":"x"}`), "these values: at '': additional properties 'wort' not allowed"},
		"an empty value":            {tiny(`{"word":""}`), "say a word"},
		"no JSON object":            {tiny(`[1]`), "JSON object"},
		"a broken template":         {broken, "nil pointer"},
		"no chart":                  {empty, "Chart.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Render(c.release)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q in it", err, c.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

func TestRenderShowsValuesAndLabels(t *testing.T) {
	manifest, err := Render(tiny(`{"word":"bye"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"word: bye", "name: r", "namespace: default", "kvbench.io/run: r"} {
		if !bytes.Contains([]byte(manifest), []byte(want)) {
			t.Errorf("%q is missing in:\n%s", want, manifest)
		}
	}
}
