package compile

import (
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// fingerprintOf compiles a run of one store of the catalog.
func fingerprintOf(t *testing.T, store, security string, change func(*run)) string {
	t.Helper()
	p, err := Compile(shortForm(func(r *run) { r.Spec.Store.Name, r.Spec.Store.Security = store, v1alpha1.Security(security) }, change), nil)
	if err != nil {
		t.Fatal(err)
	}
	fingerprint, err := p.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return fingerprint
}

// levelsOfDefault are the levels of security that the store's first mode can have.
func levelsOfDefault(entry *stores.Entry) []string {
	if mode, _ := entry.FindMode(entry.DefaultMode); mode.NoAuth != "" {
		return []string{""}
	}
	return append([]string{""}, entry.Security.Levels...)
}

func TestRunsThatMeasureTheSameHaveOneFingerprint(t *testing.T) {
	as := func(*run) {}
	for _, store := range catalog.Deployable() {
		entry, _ := catalog.Find(store)
		for _, security := range levelsOfDefault(entry) {
			same := fingerprintOf(t, store, security, as)
			if other := fingerprintOf(t, store, security, func(r *run) {
				r.Name, r.Namespace, r.UID, r.Spec.Seed = "another-name", "another-namespace", "another-uid", ptr(int64(42))
			}); other != same {
				t.Errorf("%s with security %q: a run with another name, namespace, UID and seed has another fingerprint", store, security)
			}
		}
	}
	same := fingerprintOf(t, "etcd", "", as)
	for what, change := range map[string]func(*run){
		"nodes":    func(r *run) { r.Spec.Store.Nodes = 5 },
		"version":  func(r *run) { r.Spec.Store.Version = "v3.5.0" },
		"values":   withValues(`{"settings": {"snapshot-count": 5}}`),
		"records":  func(r *run) { r.Spec.Workloads[0].Records = ptr(int64(77)) },
		"timeout":  func(r *run) { r.Spec.Load.OperationTimeout = ptr(v1alpha1.Duration("3s")) },
		"security": func(r *run) { r.Spec.Store.Security = "Auth" },
	} {
		if other := fingerprintOf(t, "etcd", "", change); other == same {
			t.Errorf("a run with another %s has the same fingerprint", what)
		}
	}
}
