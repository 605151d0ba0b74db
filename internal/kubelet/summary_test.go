package kubelet

import (
	"strings"
	"testing"
	"time"
)

// text is cut from a real kubelet's, v1.37.1. The claim of a-1 is on the node's own disk, those of
// b-0 and b-1 may share one, and that of b-2 has its own.
const text = `{
 "node": {"nodeName": "node1", "fs": {"time": "2026-11-22T18:34:20Z", "availableBytes": 31012966400, "capacityBytes": 270553174016, "usedBytes": 66780327936, "inodesFree": 15654730, "inodes": 16777216, "inodesUsed": 1122486}},
 "pods": [
  {"podRef": {"name": "a-0", "namespace": "team", "uid": "u0"}, "startTime": "2026-11-22T18:33:59Z",
   "containers": [{"name": "etcd", "cpu": {"time": "2026-11-22T18:34:19Z", "usageCoreNanoSeconds": 1}}],
   "cpu": {"time": "2026-11-22T18:34:25Z", "usageNanoCores": 0, "usageCoreNanoSeconds": 70345574},
   "memory": {"time": "2026-11-22T18:34:25Z", "usageBytes": 9687040, "workingSetBytes": 9687041, "rssBytes": 8794112},
   "volume": [{"name": "token", "time": "2026-11-22T18:34:00Z", "usedBytes": 9, "capacityBytes": 270553174016, "inodes": 16777216},
    {"name": "data", "time": "2026-11-22T18:34:00Z", "usedBytes": 4096, "capacityBytes": 270553174016, "inodes": 16777216}]},
  {"podRef": {"name": "a-1", "namespace": "team", "uid": "u1"},
   "volume": [{"name": "data", "pvcRef": {"name": "data-a-1"}, "time": "2026-11-22T18:34:00Z", "usedBytes": 66780327936, "capacityBytes": 270553174016, "inodes": 16777216}]},
  {"podRef": {"name": "b-0", "namespace": "team", "uid": "u2"},
   "volume": [{"name": "data", "pvcRef": {"name": "data-b-0"}, "time": "2026-11-22T18:34:00Z", "usedBytes": 7, "capacityBytes": 1000, "inodes": 10}]},
  {"podRef": {"name": "b-1", "namespace": "team", "uid": "u3"},
   "volume": [{"name": "data", "pvcRef": {"name": "data-b-1"}, "time": "2026-11-22T18:34:00Z", "usedBytes": 7, "capacityBytes": 1000, "inodes": 10}]},
  {"podRef": {"name": "b-2", "namespace": "team", "uid": "u4"}, "cpu": {"time": "2026-11-22T18:34:25Z"},
   "volume": [{"name": "data", "pvcRef": {"name": "data-b-2"}, "time": "2026-11-22T18:34:00Z", "usedBytes": 8, "capacityBytes": 2000, "inodes": 10}]}
 ]}`

func TestPodsUseWhatTheSummarySays(t *testing.T) {
	now := time.Date(2026, 11, 22, 18, 34, 30, 0, time.UTC)
	pods, err := parse(strings.NewReader(text), now)
	if err != nil || len(pods) != 5 {
		t.Fatalf("%d pods, %v", len(pods), err)
	}
	a := pods[0]
	if a.Namespace != "team" || a.Name != "a-0" || a.UID != "u0" || *a.CPUNanos != 70345574 || *a.WorkingSetBytes != 9687041 || a.Age != 5*time.Second {
		t.Errorf("%+v", a)
	}
	if a.Data == nil || *a.Data != (VolumeUsage{Bytes: 4096, Age: 30 * time.Second}) {
		t.Errorf("an emptyDir: %+v", a.Data)
	}
	for _, i := range []int{1, 2, 3} {
		if pods[i].Data != nil {
			t.Errorf("%s has a volume of its own: %+v", pods[i].Name, pods[i].Data)
		}
	}
	if own := pods[4]; own.Data == nil || own.Data.Bytes != 8 || own.CPUNanos != nil {
		t.Errorf("%+v", own)
	}
}

func FuzzSummary(f *testing.F) {
	f.Add(text)
	f.Add(`{"pods":[{"volume":[{"name":"data","usedBytes":1,"time":"0001-01-01T00:00:00Z"}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		pods, err := parse(strings.NewReader(text), time.Unix(1, 0))
		if err != nil && pods != nil {
			t.Errorf("%d pods of what can't be read", len(pods))
		}
	})
}
