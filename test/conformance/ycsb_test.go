package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores/catalog"
	"github.com/kvbench/kvbench/internal/ycsb"
)

// onProgress calls a function once, when the first line of progress is written.
type onProgress struct {
	t    *testing.T
	once sync.Once
	do   func()
}

func (o *onProgress) Write(p []byte) (int, error) {
	o.t.Logf("%s", bytes.TrimSpace(p))
	if bytes.Contains(p, []byte(" operations; ")) {
		o.once.Do(o.do)
	}
	return len(p), nil
}

// client runs a command of the stand-alone client, and returns what it printed.
func client(t *testing.T, cluster *servers, load bool, timeout time.Duration, progress func(), pairs ...string) (string, error) {
	t.Helper()
	settings, err := ycsb.Settle(&ycsb.Command{
		Load: load, Store: "etcd", Arrivals: "poisson", OperationTimeout: timeout, SeedSet: true, Seed: 1,
		Pairs: append([]string{"etcd.endpoints=" + strings.Join(cluster.config.Addresses, ","), "recordcount=200", "fieldlength=20"}, pairs...),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	err = settings.Do(ctx, &ycsb.Screen{Out: &out, Err: &onProgress{t: t, do: progress}})
	return out.String(), err
}

func TestTheClientOnItsOwnWithEtcd(t *testing.T) {
	t.Parallel()
	cluster := startEtcd(t, 1, nil)
	entry, _ := catalog.Find("etcd")
	cluster.await(t, Target{Entry: entry, Config: cluster.config})
	nothing := func() {}
	var notValid *ycsb.NotValid // on a busy machine
	printed, err := client(t, cluster, true, opTimeout, nothing, "dataintegrity=true", "threadcount=8")
	if err != nil && !errors.As(err, &notValid) || !strings.Contains(printed, "[INSERT], Return=OK, 200\n") {
		t.Fatalf("load: %v\n%s", err, printed)
	}
	printed, err = client(t, cluster, false, opTimeout, nothing, "dataintegrity=true", "threadcount=8", "operationcount=2000")
	if err != nil && !errors.As(err, &notValid) || strings.Contains(printed, "FAILED") || !strings.Contains(printed, "[UPDATE], Return=OK, ") {
		t.Fatalf("run: %v\n%s", err, printed)
	}

	testACacheAsideWithATimeToLive(t, cluster)

	// A store that goes away ends in counted failures.
	printed, err = client(t, cluster, false, time.Second, func() { cluster.Kill(t, 0) }, "threadcount=4", "maxexecutiontime=5", "status.interval=1")
	var failures *ycsb.Failures
	if !errors.As(err, &notValid) && (!errors.As(err, &failures) || failures.Failed == 0 || failures.Failed == failures.Operations) {
		t.Errorf("run while etcd ends: %v", err)
	}
	if !strings.Contains(printed, "[READ-FAILED], Operations, ") {
		t.Errorf("no failure was counted:\n%s", printed)
	}
}

// A record that one thread set is missed again only when it has expired.
func testACacheAsideWithATimeToLive(t *testing.T, cluster *servers) {
	const records = 10
	printed, err := client(t, cluster, false, opTimeout, func() {}, "table=cache", "cacheaside=true", "cacheaside.ttl=1", "target=100",
		fmt.Sprint("recordcount=", records), "readproportion=1", "updateproportion=0", "maxexecutiontime=6")
	var notValid *ycsb.NotValid // on a busy machine
	if err != nil && !errors.As(err, &notValid) {
		t.Fatalf("run: %v\n%s", err, printed)
	}
	hits, misses, sets := returned(printed, "READ", "OK"), returned(printed, "READ", "NOT_FOUND"), returned(printed, "INSERT", "OK")
	if misses <= records || hits < misses || sets != misses {
		t.Errorf("%d hits, %d misses and %d sets of %d records in 6 s:\n%s", hits, misses, sets, records, printed)
	}
}

// returned is the number of operations that ended so.
func returned(printed, operation, status string) (n int) {
	for line := range strings.Lines(printed) {
		if text, ok := strings.CutPrefix(line, fmt.Sprintf("[%s], Return=%s, ", operation, status)); ok {
			_, _ = fmt.Sscan(text, &n) // else it is 0
		}
	}
	return n
}
