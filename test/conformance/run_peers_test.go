package conformance

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
)

// ranStores are those whose running is measured, with the best simple tool for it.
var ranStores = []ranStore{
	{"redis", "redis", startRedisToLoad, "redis-benchmark", readWithRedisBenchmark},
	{"memcached", "memcached", startMemcachedToLoad, "", nil},
	{"postgresql", "pg", startPostgresqlToLoad, "", nil},
	{"etcd", "etcd", startEtcdToLoad, "", nil},
}

// readWithRedisBenchmark reads what kvbench has loaded into YCSB's own table: one record, as it can make no
// names of YCSB's.
func readWithRedisBenchmark(ctx context.Context, b *testing.B, cluster *servers) (got readings, err error) {
	const requests = 300_000
	command := exec.CommandContext(ctx, Binary(b, "redis-benchmark"), "-p", fmt.Sprint(portOf(b, cluster.config.Addresses[0])),
		"-c", fmt.Sprint(runThreads), "-n", fmt.Sprint(requests), "HGETALL", "user6284781860667377211")
	printed, err := output(command)
	if err != nil {
		return got, err
	}
	if got.rate, err = figure(printed, `throughput summary: ([0-9.]+) requests per second`); err != nil {
		return got, err
	}
	used := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	got.microsOfCPU = float64(used.Microseconds()) / requests
	milliseconds, err := figure(printed, `(?s)latency summary \(msec\):\s+avg\s+min\s+p50\s+p95\s+p99\s+max\s+[0-9.]+\s+[0-9.]+\s+[0-9.]+\s+[0-9.]+\s+([0-9.]+)`)
	got.p99Micros = 1000 * milliseconds
	return got, err
}
