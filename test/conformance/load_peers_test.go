package conformance

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/cassandra-gocql-driver/v2"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"

	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// loadedStores are those whose loading is compared, with the best simple tool for each: the store's
// own benchmark where it has one, else a loop around its maintained client, which does less
// than any benchmark that uses it.
var loadedStores = []loadedStore{
	{"etcd", "etcd", startEtcdToLoad, loader{"clientv3", loadWithClientv3}},
	{"redis", "redis", startRedisToLoad, loader{"redis-benchmark", loadWithRedisBenchmark}},
	{"postgresql", "pg", startPostgresqlToLoad, loader{"pgbench", loadWithPgbench}},
	{"cassandra", "cassandra", startCassandraToLoad, loader{"gocql", loadWithGocql}},
	{"hazelcast", "hazelcast", startHazelcastToLoad, loader{"java-client", loadWithJava("HazelcastLoad.java", "hazelcast-5.4.0.jar", nil)}},
	{"ignite", "ignite", startIgniteToLoad, loader{"java-client", loadWithJava("IgniteLoad.java", "ignite-core-2.17.0.jar", igniteOpens)}},
	{"memcached", "memcached", startMemcachedToLoad, loader{"text", loadWithText}},
}

func startEtcdToLoad(b *testing.B) *servers {
	cluster := startEtcd(b, 1, nil)
	entry, _ := catalog.Find("etcd")
	cluster.await(b, Target{Entry: entry, Config: cluster.config})
	return cluster
}

func startRedisToLoad(b *testing.B) *servers {
	_, cluster := startRedis(b, "redis", 1, nil)
	return &cluster.servers
}

func startPostgresqlToLoad(b *testing.B) *servers {
	_, cluster := startPostgresql(b, 1, nil)
	return &cluster.servers
}

func startCassandraToLoad(b *testing.B) *servers {
	_, cluster := startCassandra(b, 1, nil)
	return &cluster.servers
}

func startHazelcastToLoad(b *testing.B) *servers {
	_, cluster := startHazelcast(b, 1)
	return cluster
}

func startIgniteToLoad(b *testing.B) *servers {
	target, cluster := startIgnite(b, 1, false, nil)
	cluster.await(b, target)
	return cluster
}

func startMemcachedToLoad(b *testing.B) *servers {
	_, cluster := startMemcached(b, 1, nil)
	return cluster
}

// inThreads calls put for each record, from as many goroutines as there are threads.
func inThreads(ctx context.Context, table string, records int, put func(ctx context.Context, key string) error) (time.Duration, error) {
	threads, ctx := errgroup.WithContext(ctx)
	began := time.Now()
	for thread := range loadThreads {
		threads.Go(func() error {
			for i := thread; i < records; i += loadThreads {
				if err := put(ctx, fmt.Sprintf("%s%019d", table, i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := threads.Wait()
	return time.Since(began), err
}

// recordBytes is a value as large as all fields of a record.
var recordBytes = []byte(strings.Repeat("x", loadFields*fieldBytes))

func loadWithClientv3(ctx context.Context, b *testing.B, cluster *servers, table string, records int) (time.Duration, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: cluster.config.Addresses, DialTimeout: opTimeout})
	if err != nil {
		return 0, err
	}
	defer client.Close()
	if _, err := client.Get(ctx, table); err != nil {
		return 0, err
	}
	value := string(recordBytes)
	return inThreads(ctx, table, records, func(ctx context.Context, key string) error {
		_, err := client.Put(ctx, key, value)
		return err
	})
}

// memcached's text protocol has one line for a record and one for the answer, so there is no
// simpler client than a connection for each thread.
func loadWithText(ctx context.Context, b *testing.B, cluster *servers, table string, records int) (time.Duration, error) {
	idle := make(chan *bufio.ReadWriter, loadThreads)
	for range loadThreads {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", cluster.config.Addresses[0])
		if err != nil {
			return 0, err
		}
		defer conn.Close()
		deadline, _ := ctx.Deadline()
		_ = conn.SetDeadline(deadline)
		idle <- bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(conn))
	}
	return inThreads(ctx, table, records, func(_ context.Context, key string) error {
		conn := <-idle
		defer func() { idle <- conn }()
		fmt.Fprintf(conn, "set %s 0 0 %d\r\n%s\r\n", key, len(recordBytes), recordBytes)
		if err := conn.Flush(); err != nil {
			return err
		}
		if answer, err := conn.ReadString('\n'); answer != "STORED\r\n" {
			return fmt.Errorf("set %s: %q, %w", key, answer, err)
		}
		return nil
	})
}

// redis-benchmark sends one command a request, and a record takes two: one after the other.
func loadWithRedisBenchmark(ctx context.Context, b *testing.B, cluster *servers, table string, records int) (time.Duration, error) {
	hset := []string{"HSET", table + "__rand_int__"}
	for i := range loadFields {
		hset = append(hset, fmt.Sprint("field", i), string(recordBytes[:fieldBytes]))
	}
	var both time.Duration
	for _, command := range [][]string{hset, {"ZADD", "_indices" + table, "__rand_int__", table + "__rand_int__"}} {
		printed, err := output(exec.CommandContext(ctx, Binary(b, "redis-benchmark"), append([]string{"-p", fmt.Sprint(portOf(b, cluster.config.Addresses[0])),
			"-c", fmt.Sprint(loadThreads), "-n", fmt.Sprint(records), "-r", "1000000000000"}, command...)...))
		if err != nil {
			return 0, err
		}
		took, err := figure(printed, `requests completed in ([0-9.]+) seconds`)
		if err != nil {
			return 0, err
		}
		both += seconds(took)
	}
	return both, nil
}

func loadWithPgbench(ctx context.Context, b *testing.B, cluster *servers, table string, records int) (time.Duration, error) {
	names, values := []string{"ycsb_key"}, []string{"int8send(:key)"}
	columns := "ycsb_key bytea PRIMARY KEY"
	for i := range loadFields {
		names = append(names, fmt.Sprint("field", i))
		columns += fmt.Sprintf(", field%d bytea", i)
		values = append(values, "'"+string(recordBytes[:fieldBytes])+"'")
	}
	folder := b.TempDir()
	script := filepath.Join(folder, "insert.sql")
	text := fmt.Sprintf("\\set key random(1, 9223372036854775806)\nINSERT INTO %s (%s) VALUES (%s);\n", table, strings.Join(names, ", "), strings.Join(values, ", "))
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		return 0, err
	}
	host, port, err := net.SplitHostPort(cluster.config.Addresses[0])
	if err != nil {
		return 0, err
	}
	setUp := filepath.Join(folder, "table.sql")
	if err := os.WriteFile(setUp, []byte("CREATE TABLE "+table+" ("+columns+");\n"), 0o600); err != nil {
		return 0, err
	}
	pgbench := func(file string, more ...string) (string, error) {
		return output(exec.CommandContext(ctx, Binary(b, "pgbench"), append(more, "-n", "-h", host, "-p", port, "-U", "postgres", "-f", file, "postgres")...))
	}
	if _, err := pgbench(setUp, "-c", "1", "-t", "1"); err != nil {
		return 0, err
	}
	printed, err := pgbench(script, "-M", "prepared", "-c", fmt.Sprint(loadThreads), "-j", "2", "-t", fmt.Sprint(records/loadThreads))
	if err != nil {
		return 0, err
	}
	perSecond, err := figure(printed, `tps = ([0-9.]+) \(without initial connection time\)`)
	if err != nil {
		return 0, err
	}
	return seconds(float64(records) / perSecond), nil
}

func loadWithGocql(ctx context.Context, b *testing.B, cluster *servers, table string, records int) (time.Duration, error) {
	config := gocql.NewCluster(cluster.config.Addresses...)
	config.Timeout, config.Consistency = opTimeout, gocql.One
	session, err := config.CreateSession()
	if err != nil {
		return 0, err
	}
	defer session.Close()
	columns, names, places, values := "", "", "", []any(nil)
	for i := range loadFields {
		columns += fmt.Sprintf(", field%d blob", i)
		names += fmt.Sprint(", field", i)
		places += ", ?"
		values = append(values, recordBytes[:fieldBytes])
	}
	for _, statement := range []string{
		"CREATE KEYSPACE IF NOT EXISTS peer WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
		"CREATE TABLE IF NOT EXISTS peer." + table + " (y_id blob PRIMARY KEY" + columns + ")",
	} {
		if err := session.Query(statement).ExecContext(ctx); err != nil {
			return 0, err
		}
	}
	insert := "INSERT INTO peer." + table + " (y_id" + names + ") VALUES (?" + places + ")"
	return inThreads(ctx, table, records, func(ctx context.Context, key string) error {
		return session.Query(insert, append([]any{[]byte(key)}, values...)...).ExecContext(ctx)
	})
}

// loadWithJava runs a source of testdata with the store's own client, which is in the jar and wants
// these packages of Java's opened. It takes a JDK.
func loadWithJava(source, jar string, opens []string) func(context.Context, *testing.B, *servers, string, int) (time.Duration, error) {
	return func(ctx context.Context, b *testing.B, cluster *servers, table string, records int) (time.Duration, error) {
		java, err := exec.LookPath("java")
		if err != nil {
			return 0, fmt.Errorf("%w: the peer needs a JDK, such as Debian's openjdk-17-jdk-headless", err)
		}
		var args []string
		for _, name := range opens {
			args = append(args, "--add-opens="+name+"=ALL-UNNAMED")
		}
		args = append(args, "-cp", filepath.Join(filepath.Dir(Binary(b, jar)), "*"), filepath.Join("testdata", source),
			cluster.config.Addresses[0], table, fmt.Sprint(records), fmt.Sprint(loadThreads), fmt.Sprint(len(recordBytes)))
		printed, err := output(exec.CommandContext(ctx, java, args...))
		if err != nil {
			return 0, err
		}
		ms, err := figure(printed, `took ([0-9.]+) ms`)
		return seconds(ms / 1000), err
	}
}
