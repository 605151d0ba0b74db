package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/cassandra"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

func TestCassandraAlone(t *testing.T) { testCassandra(t, 1) }

func TestCassandraOfThree(t *testing.T) { testCassandra(t, 3) }

func testCassandra(t *testing.T, members int) {
	target, cluster := startCassandra(t, members)
	t.Run("tables that many make at once", func(t *testing.T) { makesTablesOnce(t, target, cluster) })
	t.Run("driver", func(t *testing.T) { Driver(t, target) })
	t.Run("batches", func(t *testing.T) { Batches(t, target) })
	t.Run("observer and usage", func(t *testing.T) {
		tellsItsTables(t, target, func() { Observer(t, target, cluster) })
	})
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
	if members > 1 {
		t.Run("a quorum goes on without a member", func(t *testing.T) { keepsAQuorum(t, target, &cluster.servers) })
	}
}

// cassandraConfig is for members that share their ports, each at an address of its own. Commits wait
// for the disk, as in the chart.
const cassandraConfig = `cluster_name: kvbench
num_tokens: 1
initial_token: "%[1]d"
auto_bootstrap: false
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
listen_address: %[2]s
rpc_address: %[2]s
storage_port: %[3]s
native_transport_port: %[4]s
commitlog_sync: batch
auto_snapshot: false
storage_compatibility_mode: NONE
seed_provider:
- class_name: org.apache.cassandra.locator.SimpleSeedProvider
  parameters: [{seeds: "%[5]s"}]
`

const cassandraLog = `<configuration>
  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%-5level %date{HH:mm:ss.SSS} %logger{0} %msg%n</pattern></encoder></appender>
  <root level="WARN"><appender-ref ref="OUT"/></root>
</configuration>
`

// What Cassandra needs of Java 17, as its own jvm17-server.options say.
var (
	cassandraExports = []string{
		"java.base/java.lang.ref", "java.base/jdk.internal.misc", "java.base/jdk.internal.ref", "java.base/sun.nio.ch",
		"java.management.rmi/com.sun.jmx.remote.internal.rmi", "java.rmi/sun.rmi.registry", "java.rmi/sun.rmi.server", "java.sql/java.sql",
	}
	cassandraOpens = []string{
		"java.base/java.io", "java.base/java.lang", "java.base/java.lang.module", "java.base/java.nio", "java.base/java.util",
		"java.base/java.util.concurrent", "java.base/java.util.concurrent.atomic", "java.base/jdk.internal.loader", "java.base/jdk.internal.math",
		"java.base/jdk.internal.module", "java.base/jdk.internal.ref", "java.base/jdk.internal.reflect", "java.base/jdk.internal.util.jar",
		"java.base/sun.nio.ch", "jdk.management/com.sun.management.internal",
	}
)

// cassandraServers are members, and the folders that they have their tables in.
type cassandraServers struct {
	servers
	folders []string
}

func startCassandra(t *testing.T, n int) (Target, *cassandraServers) {
	t.Helper()
	java, jamm := Binary(t, "java"), Binary(t, "jamm-0.4.0.jar")
	entry, ok := catalog.Find("cassandra")
	if !ok {
		t.Fatal("cassandra is not in the catalog")
	}
	var ports []string
	for _, address := range FreePorts(t, 2) {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, port)
	}
	cluster := &cassandraServers{servers: servers{config: stores.Config{Timeout: opTimeout}}}
	var hosts, seeds []string
	for i := range n {
		// gocql tells members by their addresses, without ports.
		host := fmt.Sprintf("127.0.0.%d", i+1)
		hosts, seeds = append(hosts, host), append(seeds, host+":"+ports[0])
		cluster.config.Addresses = append(cluster.config.Addresses, host+":"+ports[1])
		cluster.config.Names = append(cluster.config.Names, fmt.Sprintf("cassandra-%d", i))
	}
	for i, name := range cluster.config.Names {
		folder := t.TempDir()
		cluster.folders = append(cluster.folders, filepath.Join(folder, "data", "data"))
		token := int64(math.MinInt64) + int64(i)*(math.MaxInt64/int64(n)*2)
		write := func(file, text string) {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("cassandra.yaml", fmt.Sprintf(cassandraConfig, token, hosts[i], ports[0], ports[1], strings.Join(seeds, ",")))
		write("logback.xml", cassandraLog)
		member := &Process{Command: func() *exec.Cmd { return cassandraCommand(java, jamm, folder) }}
		cluster.members = append(cluster.members, member)
		member.Start(t)
		t.Cleanup(func() { member.End(t, name) })
	}
	target := Target{Entry: entry, Config: cluster.config}
	observer, err := entry.Observe(target.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer observer.Close()
	settle(t, observer, "all healthy", allHealthy)
	cluster.await(t, target)
	return target, cluster
}

func cassandraCommand(java, jamm, folder string) *exec.Cmd {
	args := []string{"-Xms256m", "-Xmx256m", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1"}
	for _, name := range cassandraExports {
		args = append(args, "--add-exports="+name+"=ALL-UNNAMED")
	}
	for _, name := range cassandraOpens {
		args = append(args, "--add-opens="+name+"=ALL-UNNAMED")
	}
	command := exec.Command(java, append(args,
		"-javaagent:"+jamm, "-Djdk.attach.allowAttachSelf=true", "-Djava.io.tmpdir="+folder,
		"-Dlogback.configurationFile="+filepath.Join(folder, "logback.xml"),
		"-Dcassandra.config=file://"+filepath.Join(folder, "cassandra.yaml"), "-Dcassandra.storagedir="+filepath.Join(folder, "data"),
		// What a member waits for at its start: there are no others to wait for.
		"-Dcassandra.gossip_settle_min_wait_ms=500", "-Dcassandra.gossip_settle_interval_ms=200",
		"-cp", filepath.Join(filepath.Dir(jamm), "*"), "org.apache.cassandra.service.CassandraDaemon")...)
	command.Dir = folder
	return command
}

// makesTablesOnce has drivers make a keyspace at the same moment, and tables, each with other
// fields. Two tables of one name, with two ids, leave two folders.
func makesTablesOnce(t *testing.T, target Target, cluster *cassandraServers) {
	target.Config.Properties = map[string]string{"keyspace": "at_once"}
	const drivers, tables = 6, 4
	var sessions []stores.Session
	var opened []stores.Driver
	for range drivers {
		driver, session := open(t, target)
		opened, sessions = append(opened, driver), append(sessions, session)
	}
	ctx, cancel := context.WithTimeout(t.Context(), settleTimeout)
	defer cancel()
	together(t, drivers, func(i int) error { return opened[i].Ping(ctx) })
	fields := func(i int) []stores.Field {
		return []stores.Field{{Name: "field0", Value: []byte("v")}, {Name: fmt.Sprint("own", i%3), Value: []byte("w")}}
	}
	for n := range tables {
		together(t, drivers, func(i int) error {
			return sessions[i].Do(&stores.Op{Kind: stores.Insert, Table: fmt.Sprint("t", n), Key: fmt.Append(nil, i),
				Deadline: time.Now().Add(settleTimeout), Values: fields(i)})
		})
	}
	_, session := open(t, inMode(target, cassandra.ModeAll))
	for n := range tables {
		for i := range drivers {
			op := do(t, session, stores.Op{Kind: stores.Read, Table: fmt.Sprint("t", n), Key: fmt.Append(nil, i)})
			if !sameFields(op.Result, fields(i)) {
				t.Errorf("record %d of table %d: %v", i, n, op.Result)
			}
		}
		for i, folder := range cluster.folders {
			made, err := filepath.Glob(filepath.Join(folder, "at_once", fmt.Sprintf("t%d-*", n)))
			if err != nil || len(made) != 1 {
				t.Errorf("table %d of %s: %v, %v", n, target.Config.Names[i], made, err)
			}
		}
	}
}

// together does so many things at once.
func together(t *testing.T, count int, do func(i int) error) {
	t.Helper()
	errs := make([]error, count)
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// tellsItsTables shows that each member knows what its tables take on the disk. What was written
// comes there when the last one is started again.
func tellsItsTables(t *testing.T, target Target, restartsLast func()) {
	observer, err := target.Entry.Observe(target.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer observer.Close()
	settle(t, observer, "all healthy", allHealthy)
	size := func() int64 {
		used := observer.(stores.Meter).Usage(t.Context(), opTimeout)
		for i, name := range target.Config.Names {
			if len(used) <= i || used[i].Member != name || used[i].DataBytes == nil {
				t.Fatalf("%+v", used)
			}
		}
		return *used[len(used)-1].DataBytes
	}
	before := size()
	_, session := open(t, inMode(target, cassandra.ModeAll))
	value := make([]byte, 4<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(value) // what compresses would take less
	do(t, session, stores.Op{Kind: stores.Insert, Table: "usage", Key: []byte("k"), Values: []stores.Field{{Name: "field0", Value: value}}})
	restartsLast()
	settle(t, observer, "all healthy again", allHealthy)
	if after := size(); after < before+4<<20 {
		t.Errorf("%d bytes became %d", before, after)
	}
}

// keepsAQuorum ends a member while many write, and leaves it away: others answer for it, all
// that was acknowledged is there before it is back and after.
func keepsAQuorum(t *testing.T, target Target, cluster *servers) {
	target = inMode(target, cassandra.ModeQuorum)
	driver, session := open(t, target)
	writers := newWriters(t, driver, "quorum")
	acknowledged := func(count int) func(attempt) bool {
		return func(a attempt) bool {
			if a.outcome == stores.OK {
				count--
			}
			return count == 0
		}
	}
	writers.until(t, "some writes", acknowledged(100))
	cluster.Kill(t, 1)
	gone := time.Now()
	row := 0
	writers.until(t, "200 writes in a row without the member", func(a attempt) bool {
		if row++; a.outcome != stores.OK || a.begun.Before(gone) {
			row = 0
		}
		return row == 200
	})
	attempts := writers.end()
	present := func(when string) {
		for _, a := range attempts {
			op := stores.Op{Kind: stores.Read, Table: "quorum", Key: []byte(a.key), Deadline: time.Now().Add(opTimeout)}
			if err := session.Do(&op); a.outcome == stores.OK && err != nil || err != nil && !notThere(err) {
				t.Errorf("%s, read %s, of which it said %v: %v", when, a.key, a.err, err)
			}
		}
	}
	present("without the member")
	if _, session := open(t, inMode(target, cassandra.ModeAll)); true {
		if got := code(t, session, stores.Op{Kind: stores.Read, Table: "quorum", Key: []byte(attempts[0].key)}); got == stores.CodeNotFound {
			t.Errorf("mode all without a member: %s", got)
		}
	}
	cluster.Start(t, 1)
	observer, err := target.Entry.Observe(target.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer observer.Close()
	settle(t, observer, "all healthy again", allHealthy)
	present("with the member")
	ctx, cancel := context.WithTimeout(t.Context(), opTimeout)
	defer cancel()
	if err := driver.Reset(ctx, "quorum"); err != nil {
		t.Error(err)
	}
}
