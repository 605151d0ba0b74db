package usage

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/kubelet"
)

func TestPrometheusIsToldWhatMembersUse(t *testing.T) {
	k := &kubelets{pods: []kubelet.PodUsage{used("u0", 7_000_000_000, 8, 0), used("u1", 9_000_000_000, 1<<63, 0), used("u2", 1, 1, 0)}}
	k.pods[0].Data = &kubelet.VolumeUsage{Bytes: 5}
	var run *v1alpha1.BenchmarkRun
	u := watching(t, k, &sink{files: map[string]string{}}, func(r *v1alpha1.BenchmarkRun) { run = r })
	of := []string{"kvbench_member_cpu_seconds_total", "kvbench_member_memory_bytes", "kvbench_member_data_bytes"}
	statetest.Must(t, testutil.CollectAndCompare(u, strings.NewReader(""), of...))
	u.look(t.Context())
	id := `kvbench_io_run="` + names.RunID(run) + `",member="m-`
	want := `
# HELP kvbench_member_cpu_seconds_total Processor time of the containers of a member of a run under way, as its kubelet told last.
# TYPE kvbench_member_cpu_seconds_total counter
kvbench_member_cpu_seconds_total{` + id + `0",run_namespace="team"} 7
kvbench_member_cpu_seconds_total{` + id + `1",run_namespace="team"} 9
# HELP kvbench_member_memory_bytes Memory of a member of a run under way, without the pages of files that could be dropped at once, as its kubelet told last.
# TYPE kvbench_member_memory_bytes gauge
kvbench_member_memory_bytes{` + id + `0",run_namespace="team"} 8
# HELP kvbench_member_data_bytes What the data volume of a member of a run under way holds, as its kubelet told last.
# TYPE kvbench_member_data_bytes gauge
kvbench_member_data_bytes{` + id + `0",run_namespace="team"} 5
`
	statetest.Must(t, testutil.CollectAndCompare(u, strings.NewReader(want), of...))
	k.pods = nil
	u.look(t.Context())
	statetest.Must(t, testutil.CollectAndCompare(u, strings.NewReader(""), of...))
}
