package conformance

import (
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/cassandra"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

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
  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender"><filter class="ch.qos.logback.classic.filter.ThresholdFilter"><level>WARN</level></filter><encoder><pattern>%-5level %date{HH:mm:ss.SSS} %logger{0} %msg%n</pattern></encoder></appender>
  <appender name="CQLLOG" class="org.apache.cassandra.utils.logging.VirtualTableAppender"/>
  <logger name="org.apache.cassandra.service.GCInspector" level="TRACE"><appender-ref ref="CQLLOG"/></logger>
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

// startCassandra starts so many members that ask for what was made, which is nothing where held is nil.
func startCassandra(t testing.TB, n int, held *secrets) (Target, *cassandraServers) {
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
	// Twice the chart's heap: with that a member that coordinates scans of 6 MB has now and then none left.
	flags := append(javaOptions(t, "-Xms512m", "-Xmx512m", "-XX:TieredStopAtLevel=1"), cassandraFlags(held, n)...)
	cluster := &cassandraServers{servers: servers{config: stores.Config{Timeout: opTimeout, Credentials: held.credentials(t, nil)}}}
	var hosts, seeds []string
	for i := range n {
		// gocql tells members by their addresses, without ports.
		host := fmt.Sprintf("127.0.0.%d", i+1)
		hosts, seeds = append(hosts, host), append(seeds, host+":"+ports[0])
		cluster.config.Addresses = append(cluster.config.Addresses, host+":"+ports[1])
		cluster.peers = append(cluster.peers, host+":"+ports[0])
		cluster.config.Names = append(cluster.config.Names, fmt.Sprintf("cassandra-%d", i))
	}
	for i, name := range cluster.config.Names {
		folder := t.TempDir()
		cluster.folders = append(cluster.folders, filepath.Join(folder, "data", "data"))
		// The middles of equal parts of the ring. A product beyond 64 bits wraps around, as the ring does.
		token := math.MinInt64 + math.MaxInt64/int64(n)*int64(2*i+1)
		write := func(file, text string) {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("cassandra.yaml", fmt.Sprintf(cassandraConfig, token, hosts[i], ports[0], ports[1], strings.Join(seeds, ","))+cassandraSecurity(held))
		write("logback.xml", cassandraLog)
		member := &Process{Command: func() *exec.Cmd { return cassandraCommand(java, jamm, folder, flags) }}
		cluster.members = append(cluster.members, member)
		member.Start(t)
		t.Cleanup(func() { member.End(t, name) })
	}
	target := Target{Entry: entry, Config: cluster.config}
	if held != nil {
		repairs(t, target)
	}
	observer := observe(t, target)
	defer observer.Close()
	settle(t, observer, "all healthy", allHealthy)
	cluster.await(t, target)
	return target, cluster
}

func cassandraCommand(java, jamm, folder string, flags []string) *exec.Cmd {
	// As in the chart, a member without memory ends, and says so: one that went on would answer
	// anything.
	args := append([]string{"-XX:-UsePerfData", "-XX:+ExitOnOutOfMemoryError"}, flags...)
	for _, name := range cassandraExports {
		args = append(args, "--add-exports="+name+"=ALL-UNNAMED")
	}
	for _, name := range cassandraOpens {
		args = append(args, "--add-opens="+name+"=ALL-UNNAMED")
	}
	command := exec.Command(java, append(args,
		"-javaagent:"+jamm, "-Djdk.attach.allowAttachSelf=true", "-Djava.io.tmpdir="+folder,
		"-Dlogback.configurationFile="+filepath.Join(folder, "logback.xml"), fmt.Sprint("-Dcassandra.virtual.logs.max.rows=", cassandra.LogRows),
		"-Dcassandra.config=file://"+filepath.Join(folder, "cassandra.yaml"), "-Dcassandra.storagedir="+filepath.Join(folder, "data"),
		// What a member waits for at its start: there are no others to wait for.
		"-Dcassandra.gossip_settle_min_wait_ms=500", "-Dcassandra.gossip_settle_interval_ms=200",
		"-cp", filepath.Join(filepath.Dir(jamm), "*"), "org.apache.cassandra.service.CassandraDaemon")...)
	command.Dir = folder
	return command
}
