package main

import (
	"strings"
	"testing"
	"time"
)

const ycsbSaid = `DBWrapper: report latency for each error is false and specific error codes to track for latency are: []
[OVERALL], RunTime(ms), 2715
[OVERALL], Throughput(ops/sec), 736648.2504604051
[TOTAL_GCs], Count, 6
[READ], Operations, 2000000
[READ], AverageLatency(us), 1.104306
[READ], Return=OK, 2000000
[CLEANUP], Operations, 16
`

const goYCSBSaid = `"operationcount"="2000000"
**********************************************
READ   - Takes(s): 2.0, Count: 900000, OPS: 450342.9, Avg(us): 0, Min(us): 0
Run finished, takes 4.647417553s
READ   - Takes(s): 4.6, Count: 2000000, OPS: 430342.9, Avg(us): 0, Min(us): 0
TOTAL  - Takes(s): 4.6, Count: 2000000, OPS: 430326.5, Avg(us): 0, Min(us): 0
`

func TestReportsAreRead(t *testing.T) {
	read := work{operation: "read", operations: 2_000_000}
	for _, c := range []struct {
		name   string
		report func(string, work) (time.Duration, error)
		output string
		work   work
		want   time.Duration
		err    string // a part of it
	}{
		{"YCSB", ycsbReport, ycsbSaid, read, 2715 * time.Millisecond, ""},
		{"YCSB, too few", ycsbReport, ycsbSaid, work{operation: "read", operations: 3_000_000}, 0, "2000000 of 3000000"},
		{"YCSB, another operation", ycsbReport, ycsbSaid, work{operation: "update", operations: 2_000_000}, 0, "0 of 2000000"},
		{"YCSB, failures", ycsbReport, ycsbSaid + "[READ-FAILED], Operations, 3\n", read, 0, "READ-FAILED"},
		{"YCSB, broken off", ycsbReport, "Exception in thread main\n", read, 0, "0 of 2000000"},
		{"go-ycsb", goYCSBReport, goYCSBSaid, read, 4647417553, ""},
		{"go-ycsb, too few", goYCSBReport, strings.ReplaceAll(goYCSBSaid, "2000000", "1999999"), read, 0, "1999999 of 2000000"},
		{"go-ycsb, failures", goYCSBReport, goYCSBSaid + "READ_ERROR - Takes(s): 4.6, Count: 1, OPS: 1\n", read, 0, "READ_ERROR"},
		{"go-ycsb, broken off", goYCSBReport, strings.Split(goYCSBSaid, "Run")[0], read, 0, "operations in 0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			took, err := c.report(c.output, c.work)
			if c.err == "" {
				if err != nil || took != c.want {
					t.Errorf("%v, %v, want %v", took, err, c.want)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want one with %q", err, c.err)
			}
		})
	}
}

func TestOtherStoresAreTakenOutOfGoYCSB(t *testing.T) {
	main := "import (\n\t// Register\n\t_ \"github.com/pingcap/go-ycsb/db/mysql\"\n\t_ \"github.com/pingcap/go-ycsb/db/etcd\"\n" +
		"\t_ \"github.com/pingcap/go-ycsb/db/basic\"\n\t\"github.com/pingcap/go-ycsb/pkg/client\"\n)\n"
	want := strings.Replace(main, "\t_ \"github.com/pingcap/go-ycsb/db/mysql\"\n", "", 1)
	if got := string(withoutOtherStores([]byte(main))); got != want {
		t.Errorf("%s", got)
	}
}
