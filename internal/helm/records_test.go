package helm

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/action"
	rcommon "helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// withSecrets keeps releases in Secrets, as a cluster does.
func withSecrets(secrets ...*corev1.Secret) *Releaser {
	kept := withFake(secrets)
	memory := newCluster()
	return &Releaser{namespace: "default", configure: func(logger *slog.Logger) (*action.Configuration, error) {
		cfg, err := memory.releaser().configure(logger)
		if err == nil {
			cfg.Releases = storage.Init(driver.NewSecrets(records{kept}))
		}
		return cfg, err
	}}
}

func forgedRecord(version int, compressed []byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: fmt.Sprintf("sh.helm.release.v1.r.v%d", version),
			Labels: map[string]string{"owner": "helm", "name": "r", "status": "deployed", "version": fmt.Sprint(version)},
		},
		Type: "helm.sh/release.v1",
		Data: map[string][]byte{"release": []byte(base64.StdEncoding.EncodeToString(compressed))},
	}
}

func compress(t *testing.T, size int64, content io.Reader) []byte {
	t.Helper()
	var compressed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(writer, content, size); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return compressed.Bytes()
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// A Secret of 260 kB that holds 256 MiB of JSON must not become 256 MiB of memory.
func TestARecordThatGrowsIsLeftOut(t *testing.T) {
	releaser := withSecrets(forgedRecord(1, compress(t, 256<<20, spaces{})))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	state, err := releaser.State(t.Context(), "r")
	runtime.ReadMemStats(&after)
	if err != nil || state.Status != Absent {
		t.Fatalf("%+v, %v", state, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("looking at the record took %d MiB", took>>20)
	}
	if err := releaser.Install(t.Context(), tiny("")); err == nil {
		t.Error("a release was installed over a record of its name")
	}
}

func TestManyRecordsAreNotAllRead(t *testing.T) {
	var forged []*corev1.Secret
	for version := range 30 {
		empty := io.MultiReader(strings.NewReader(`{"info":{}}`), spaces{})
		forged = append(forged, forgedRecord(version+1, compress(t, 300<<10, empty)))
	}
	list, err := (records{withFake(forged)}).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 3 {
		t.Errorf("%d records, %v: three of them are a megabyte", len(list.Items), err)
	}
	if _, err := (records{withFake(forged)}).Get(t.Context(), forged[0].Name, metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	bomb := forgedRecord(1, compress(t, 2<<20, spaces{}))
	if _, err := (records{withFake([]*corev1.Secret{bomb})}).Get(t.Context(), bomb.Name, metav1.GetOptions{}); err == nil {
		t.Error("a record of two megabytes was read")
	}
}

// Helm finds neither a release in these nor none, and reads the info of one that has none.
func TestWhatIsNoReleaseIsLeftOut(t *testing.T) {
	cutOff := compress(t, 11, strings.NewReader(`{"info":{}}`))
	notEncoded := forgedRecord(9, nil)
	notEncoded.Data["release"] = []byte("x")
	for name, forged := range map[string]*corev1.Secret{
		"not encoded": notEncoded,
		"empty":       forgedRecord(9, nil),
		"no JSON":     forgedRecord(9, []byte("{")),
		"no info":     forgedRecord(9, []byte("{}")),
		"compressed":  forgedRecord(9, compress(t, 2, strings.NewReader("{}"))),
		"null":        forgedRecord(9, []byte(`{"info":null}`)),
		"a version":   forgedRecord(9, []byte(`{"info":{},"version":"x"}`)),
		"a time":      forgedRecord(9, []byte(`{"info":{"first_deployed":1}}`)),
		"cut off":     forgedRecord(9, cutOff[:len(cutOff)-4]),
	} {
		t.Run(name, func(t *testing.T) {
			releaser := withSecrets(forged)
			if state, err := releaser.State(t.Context(), "r"); err != nil || state.Status != Absent {
				t.Fatalf("%+v, %v", state, err)
			}
			if err := releaser.Uninstall(t.Context(), "r"); err != nil {
				t.Errorf("uninstall of nothing: %v", err)
			}
			if err := releaser.Install(t.Context(), tiny("")); err != nil {
				t.Fatal(err)
			}
			if state, err := releaser.State(t.Context(), "r"); err != nil || state.Status != Deployed || state.Revision != 1 {
				t.Errorf("%+v, %v", state, err)
			}
		})
	}
}

func TestAReleaseInSecretsComesAndGoes(t *testing.T) {
	releaser := withSecrets()
	if err := releaser.Install(t.Context(), tiny("")); err != nil {
		t.Fatal(err)
	}
	if state, err := releaser.State(t.Context(), "r"); err != nil || state.Status != Deployed {
		t.Fatalf("%+v, %v", state, err)
	}
	if err := releaser.Uninstall(t.Context(), "r"); err != nil {
		t.Fatal(err)
	}
	if state, err := releaser.State(t.Context(), "r"); err != nil || state.Status != Absent {
		t.Fatalf("%+v, %v", state, err)
	}
}

// Whoever may write Secrets could put hooks into the record: objects that Helm would make
// with the rights of the run's service account.
func TestHooksOfARecordAreNotRun(t *testing.T) {
	cluster := newCluster()
	err := cluster.releases.Create(&release.Release{
		Name: "r", Namespace: "default", Version: 1, Info: &release.Info{Status: rcommon.StatusDeployed},
		Hooks: []*release.Hook{{
			Name: "forged", Kind: "Job", Path: "templates/forged.yaml", Events: []release.HookEvent{release.HookPreDelete},
			Manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: forged}\n",
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	cluster.client.CreateError = io.ErrUnexpectedEOF // what a hook would meet
	if err := cluster.releaser().Uninstall(t.Context(), "r"); err != nil {
		t.Errorf("a hook was run: %v", err)
	}
}

func withFake(secrets []*corev1.Secret) typedcorev1.SecretInterface {
	clients := fake.NewClientset()
	for _, secret := range secrets {
		if err := clients.Tracker().Add(secret); err != nil {
			panic(err)
		}
	}
	return clients.CoreV1().Secrets("default")
}
