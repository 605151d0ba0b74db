package kubelet

import (
	"strings"
	"testing"
	"time"
)

// text is cut from a real kubelet's, v1.37.1.
const text = `{
 "node": {"nodeName": "node1", "fs": {"time": "2026-11-22T18:34:20Z", "capacityBytes": 270553174016, "usedBytes": 66780327936, "inodes": 16777216}},
 "pods": [
  {"podRef": {"name": "a-0", "namespace": "team", "uid": "u0"}, "startTime": "2026-11-22T18:33:59Z",
   "containers": [{"name": "etcd", "cpu": {"time": "2026-11-22T18:34:19Z", "usageCoreNanoSeconds": 1}}],
   "cpu": {"time": "2026-11-22T18:34:25Z", "usageNanoCores": 0, "usageCoreNanoSeconds": 70345574},
   "memory": {"time": "2026-11-22T18:34:25Z", "usageBytes": 9687040, "workingSetBytes": 9687041, "rssBytes": 8794112},
   "volume": [{"name": "token", "time": "2026-11-22T18:34:00Z", "usedBytes": 9, "capacityBytes": 270553174016, "inodes": 16777216},
    {"name": "data", "time": "2026-11-22T18:34:00Z", "usedBytes": 4096, "capacityBytes": 270553174016, "inodes": 16777216}]},
  {"podRef": {"name": "a-1", "namespace": "team", "uid": "u1"}, "cpu": {"time": "2026-11-22T18:34:25Z"},
   "volume": [{"name": "data", "pvcRef": {"name": "data-a-1"}, "time": "2026-11-22T18:34:00Z", "usedBytes": 66780327936, "capacityBytes": 270553174016, "inodes": 16777216}]}
 ]}`

func TestPodsUseWhatTheSummarySays(t *testing.T) {
	now := time.Date(2026, 11, 22, 18, 34, 30, 0, time.UTC)
	pods, err := parse(strings.NewReader(text), now)
	if err != nil || len(pods) != 2 {
		t.Fatalf("%d pods, %v", len(pods), err)
	}
	a := pods[0]
	if a.Namespace != "team" || a.Name != "a-0" || a.UID != "u0" || *a.CPUNanos != 70345574 || *a.WorkingSetBytes != 9687041 || a.Age != 5*time.Second || !a.Stamp.Equal(now.Add(-5*time.Second)) {
		t.Errorf("%+v", a)
	}
	if a.Data == nil || a.Data.Bytes != 4096 || a.Data.Age != 30*time.Second || !a.Data.Stamp.Equal(now.Add(-30*time.Second)) {
		t.Errorf("an emptyDir: %+v", a.Data)
	}
	if claim := pods[1]; claim.Data != nil || claim.CPUNanos != nil {
		t.Errorf("of a claim nobody knows whose the bytes are: %+v", claim)
	}
}

func FuzzSummary(f *testing.F) {
	f.Add(text)
	f.Add(`{"pods":[{"volume":[{"name":"data","usedBytes":1,"time":"0001-01-01T00:00:00Z"}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		pods, err := parse(strings.NewReader(text), time.Unix(1, 0))
		if err != nil {
			return
		}
		for _, pod := range pods {
			if (pod.CPUNanos != nil || pod.WorkingSetBytes != nil) && pod.Stamp.IsZero() || pod.Data != nil && pod.Data.Stamp.IsZero() {
				t.Errorf("figures of no known moment: %+v", pod)
			}
		}
	})
}
