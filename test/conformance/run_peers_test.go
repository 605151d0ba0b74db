package conformance

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/cassandra-gocql-driver/v2"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
)

// ranStores are those whose running is measured, with the best simple tool for each: the store's own
// benchmark where it has one, else a loop around its maintained client, or without any, which does less
// than any benchmark.
var ranStores = []ranStore{
	{"redis", "redis", startRedisToLoad, "redis-benchmark", readWithRedisBenchmark},
	{"memcached", "memcached", startMemcachedToLoad, "text", readWithText},
	{"postgresql", "pg", startPostgresqlToLoad, "pgbench", readWithPgbench},
	{"etcd", "etcd", startEtcdToLoad, "clientv3", readWithClientv3},
	{"cassandra", "cassandra", startCassandraToLoad, "gocql", readWithGocql},
}

// ranKey is the first record that kvbench has loaded, into YCSB's own table. Peers read it alone, as not all of
// them can make names of YCSB's.
const ranKey = "user6284781860667377211"

func readWithRedisBenchmark(ctx context.Context, b *testing.B, cluster *servers) (got readings, err error) {
	const requests = 300_000
	command := exec.CommandContext(ctx, Binary(b, "redis-benchmark"), "-p", fmt.Sprint(portOf(b, cluster.config.Addresses[0])),
		"-c", fmt.Sprint(runThreads), "-n", fmt.Sprint(requests), "HGETALL", ranKey)
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

// pgbench writes each transaction's latency to files, from which its p99 is taken.
func readWithPgbench(ctx context.Context, b *testing.B, cluster *servers) (got readings, err error) {
	folder := b.TempDir()
	script := filepath.Join(folder, "read.sql")
	if err := os.WriteFile(script, []byte("SELECT * FROM usertable WHERE ycsb_key = '"+ranKey+"';\n"), 0o600); err != nil {
		return got, err
	}
	host, port, err := net.SplitHostPort(cluster.config.Addresses[0])
	if err != nil {
		return got, err
	}
	command := exec.CommandContext(ctx, Binary(b, "pgbench"), "-M", "prepared", "-c", fmt.Sprint(runThreads), "-j", "2",
		"-T", fmt.Sprint(runLasts.Seconds()), "-l", "--log-prefix", filepath.Join(folder, "log"), "-n", "-h", host, "-p", port, "-U", "postgres", "-f", script, "postgres")
	printed, err := output(command)
	if err != nil {
		return got, err
	}
	if got.rate, err = figure(printed, `tps = ([0-9.]+) \(without initial connection time\)`); err != nil {
		return got, err
	}
	latencies, err := pgbenchLatencies(folder)
	if err != nil {
		return got, err
	}
	used := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	got.microsOfCPU = float64(used.Microseconds()) / float64(len(latencies))
	got.p99Micros = p99Of(latencies)
	return got, nil
}

// pgbenchLatencies are the third column of pgbench's logs, in microseconds:
// https://www.postgresql.org/docs/15/pgbench.html, "Per-Transaction Logging".
func pgbenchLatencies(folder string) (micros []float64, err error) {
	logs, err := filepath.Glob(filepath.Join(folder, "log.*"))
	if err != nil {
		return nil, err
	}
	for _, name := range logs {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			columns := strings.Fields(line)
			if len(columns) < 3 {
				return nil, fmt.Errorf("pgbench's log has the line %q", line)
			}
			n, err := strconv.ParseFloat(columns[2], 64)
			if err != nil {
				return nil, err
			}
			micros = append(micros, n)
		}
	}
	return micros, nil
}

func p99Of(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)*99/100]
}

// readInThreads reads in a loop in this process, from as many goroutines as kvbench has threads. open gives each
// its way to read; what it needs is there before the time begins.
func readInThreads(ctx context.Context, open func(ctx context.Context) (read func() error, err error)) (got readings, err error) {
	threads, ctx := errgroup.WithContext(ctx)
	var reads []func() error
	for range runThreads {
		read, err := open(ctx)
		if err != nil {
			return got, err
		}
		reads = append(reads, read)
	}
	latencies := make([][]float64, runThreads)
	before, began := ownCPU(), time.Now()
	for thread, read := range reads {
		threads.Go(func() error {
			for sent := began; sent.Sub(began) < runLasts; {
				if err := read(); err != nil {
					return err
				}
				done := time.Now()
				latencies[thread] = append(latencies[thread], float64(done.Sub(sent).Nanoseconds())/1000)
				sent = done
			}
			return nil
		})
	}
	if err := threads.Wait(); err != nil {
		return got, err
	}
	took, used := time.Since(began), ownCPU()-before
	all := slices.Concat(latencies...)
	got.rate = float64(len(all)) / took.Seconds()
	got.microsOfCPU = float64(used.Microseconds()) / float64(len(all))
	got.p99Micros = p99Of(all)
	return got, nil
}

// ownCPU is the time that this process has used.
func ownCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // it is told for oneself in any case
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func readWithText(ctx context.Context, _ *testing.B, cluster *servers) (readings, error) {
	return readInThreads(ctx, func(ctx context.Context) (func() error, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", cluster.config.Addresses[0])
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { conn.Close() })
		deadline, _ := ctx.Deadline()
		in, request := bufio.NewReader(conn), []byte("get usertable/"+ranKey+"\r\n")
		return func() error {
			if _, err := conn.Write(request); err != nil {
				return err
			}
			head, err := in.ReadString('\n')
			if err != nil {
				return err
			}
			var key string
			var flags, size int
			if _, err := fmt.Sscanf(head, "VALUE %s %d %d", &key, &flags, &size); err != nil {
				return fmt.Errorf("memcached answered %q: %w", head, err)
			}
			_, err = io.CopyN(io.Discard, in, int64(size+len("\r\nEND\r\n")))
			return err
		}, conn.SetDeadline(deadline)
	})
}

func readWithClientv3(ctx context.Context, _ *testing.B, cluster *servers) (readings, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: cluster.config.Addresses, DialTimeout: opTimeout})
	if err != nil {
		return readings{}, err
	}
	defer client.Close()
	return readInThreads(ctx, func(ctx context.Context) (func() error, error) {
		return func() error {
			found, err := client.Get(ctx, "usertable/"+ranKey)
			if err == nil && len(found.Kvs) != 1 {
				err = fmt.Errorf("etcd has %d records of the key", len(found.Kvs))
			}
			return err
		}, nil
	})
}

func readWithGocql(ctx context.Context, _ *testing.B, cluster *servers) (readings, error) {
	config := gocql.NewCluster(cluster.config.Addresses...)
	config.Keyspace, config.Timeout, config.Consistency = "ycsb", opTimeout, gocql.One
	session, err := config.CreateSession()
	if err != nil {
		return readings{}, err
	}
	defer session.Close()
	return readInThreads(ctx, func(ctx context.Context) (func() error, error) {
		return func() error {
			record := map[string]any{}
			return session.Query("SELECT * FROM usertable WHERE y_id = ?", ranKey).MapScanContext(ctx, record)
		}, nil
	})
}
