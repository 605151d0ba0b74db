package suite

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/results/need"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestEachCombinationIsRenderedOnceAndNeedsRoom(t *testing.T) {
	needed := &room{rendered: map[string]error{}}
	var bytes int64
	for i, c := range []struct {
		values string
		fails  bool
	}{{`{}`, false}, {`{}`, false}, {`{"settings": {"snapshot-count": "many"}}`, true}, {`{"settings": {"snapshot-count": "many"}}`, true}} {
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "r", UID: "u"}}
		run.Spec.Store = v1alpha1.StoreSpec{Name: "etcd", Nodes: 3, Values: &apiextensionsv1.JSON{Raw: []byte(c.values)}}
		run.Spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "a", Preset: "A"}}
		p, err := compile.Compile(run, nil)
		if err != nil {
			t.Fatal(err)
		}
		bytes += need.Of(p).Bytes
		needed.add(p)
		needed.addProbes(p, 3)
		if err := needed.render(p); (err != nil) != c.fails {
			t.Errorf("%d: %v", i, err)
		}
	}
	if len(needed.rendered) != 2 || needed.bytes != bytes || needed.probes != 12 || needed.probeBytes != 3*bytes {
		t.Errorf("%d rendered, %d bytes, want %d", len(needed.rendered), needed.bytes, bytes)
	}
}
