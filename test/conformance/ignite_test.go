package conformance

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
	"github.com/kvbench/kvbench/internal/stores/ignite"
)

func TestIgniteAlone(t *testing.T) { testIgnite(t, 1) }

// TestIgniteOfOneInEveryMode shows the modes that TestIgniteAlone leaves out.
func TestIgniteOfOneInEveryMode(t *testing.T) {
	target, _ := startIgnite(t, 1, false, nil)
	target = inMode(target, ignite.ModeAtomic)
	awaitIgnite(t, target)
	Driver(t, inMemory(target))
	Batches(t, inMemory(target))
}

func TestIgniteOfThree(t *testing.T) { testIgnite(t, 3) }

func testIgnite(t *testing.T, members int) {
	target, cluster := startIgnite(t, members, false, nil)
	target = inMode(target, ignite.ModeAtomic)
	awaitIgnite(t, target)
	every := inMemory(target)
	if members == 1 { // TestIgniteOfOneInEveryMode has the others
		every = withModes(target, ignite.ModeAtomic)
	}
	t.Run("driver", func(t *testing.T) { Driver(t, every) })
	t.Run("driver, shared connections", func(t *testing.T) { Driver(t, Sharing(every)) })
	t.Run("batches", func(t *testing.T) { Batches(t, every) })
	t.Run("operations go to the owners", func(t *testing.T) { asksOwners(t, target) })
	t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
	if members > 1 {
		t.Run("a late look is no change", func(t *testing.T) { LateLook(t, target, cluster) })
	}
	for _, mode := range []string{ignite.ModeAtomic, ignite.ModeTransactional} {
		t.Run("recovery, "+mode, func(t *testing.T) { Recovery(t, inMode(target, mode), cluster) })
		if members > 1 || mode == ignite.ModeAtomic {
			t.Run("recovery, shared connections, "+mode, func(t *testing.T) { Recovery(t, Sharing(inMode(target, mode)), cluster) })
		}
		if members > 1 {
			t.Run("a killed member takes nothing with it, "+mode, func(t *testing.T) { keepsBackups(t, inMode(target, mode), cluster) })
		}
	}
}

// inMemory leaves out the modes whose members have their data on disks. The driver does the same in
// them.
func inMemory(target Target) Target {
	entry := *target.Entry
	entry.Modes = slices.DeleteFunc(slices.Clone(entry.Modes), func(mode stores.Mode) bool { return !mode.InMemory })
	target.Entry = &entry
	return target
}

// awaitIgnite waits until all members are one cluster.
func awaitIgnite(t *testing.T, target Target) {
	t.Helper()
	observer := observe(t, target)
	defer observer.Close()
	settle(t, observer, "all healthy", allHealthy)
}

// Members that all end have their data when they are back, and their cluster is active again.
func TestIgniteKeepsWhatIsOnDisks(t *testing.T) {
	target, cluster := startIgnite(t, 2, true, nil)
	target = inMode(target, ignite.ModeTransactionalPersistent)
	observer := observe(t, target)
	defer observer.Close()
	repaired := repairs(t, target)
	settle(t, observer, "all healthy", allHealthy)
	if did := awaitRepairs(repaired, 1); len(did) != 1 || !strings.Contains(did[0], "activated") {
		t.Errorf("repairs %q, want one activation", did)
	}
	_, session := open(t, target)
	const records = 200
	fill(t, session, "kept", records)
	tellsOfFiles(t, observer, len(cluster.members))
	for member := range cluster.members {
		cluster.Kill(t, member)
	}
	for member := range cluster.members {
		cluster.Start(t, member)
	}
	settle(t, observer, "all healthy again", allHealthy)
	for i := range records {
		key := fmt.Sprintf("user%04d", i)
		op := do(t, session, stores.Op{Kind: stores.Read, Table: "kept", Key: []byte(key)})
		if len(op.Result) != 1 || string(op.Result[0].Value) != key {
			t.Fatalf("%s: %v", key, op.Result)
		}
	}
}

// tellsOfFiles shows that each of so many members tells how large its files are.
func tellsOfFiles(t *testing.T, observer stores.Observer, members int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), settleTimeout)
	defer cancel()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	told := map[string]int64{}
	for len(told) < members {
		for _, used := range observer.(stores.Meter).Usage(ctx, time.Second) {
			if used.DataBytes == nil || *used.DataBytes <= 0 {
				t.Fatalf("%+v", used)
			}
			told[used.Member] = *used.DataBytes
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("only %v told of their files", told)
		}
	}
}

// igniteConfig is for members on loopback alone. The caches of a mode share their partitions, since
// the suite has dozens of them.
var igniteConfig = template.Must(template.New("ignite.xml").Parse(`<?xml version="1.0" encoding="UTF-8"?>
<beans xmlns="http://www.springframework.org/schema/beans" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.springframework.org/schema/beans http://www.springframework.org/schema/beans/spring-beans.xsd">
<bean class="org.apache.ignite.configuration.IgniteConfiguration">
  <property name="localHost" value="127.0.0.1"/>
  <property name="consistentId" value="{{.Name}}"/>
  <property name="workDirectory" value="{{.Folder}}"/>
  <property name="connectorConfiguration"><null/></property>
  <property name="clientConnectorConfiguration"><bean class="org.apache.ignite.configuration.ClientConnectorConfiguration">
    <property name="port" value="{{.Client}}"/><property name="portRange" value="0"/>{{.ClientSecurity}}
  </bean></property>{{.PeerSecurity}}
  <property name="discoverySpi"><bean class="org.apache.ignite.spi.discovery.tcp.TcpDiscoverySpi">
    <property name="localPort" value="{{.Discovery}}"/><property name="localPortRange" value="0"/>
    <property name="ipFinder"><bean class="org.apache.ignite.spi.discovery.tcp.ipfinder.vm.TcpDiscoveryVmIpFinder">
      <property name="addresses"><list>{{range .Members}}<value>{{.}}</value>{{end}}</list></property>
    </bean></property>
  </bean></property>
  <property name="communicationSpi"><bean class="org.apache.ignite.spi.communication.tcp.TcpCommunicationSpi">
    <property name="localPort" value="{{.Communication}}"/><property name="localPortRange" value="0"/>
  </bean></property>
  <property name="dataStorageConfiguration"><bean class="org.apache.ignite.configuration.DataStorageConfiguration">
    <property name="defaultDataRegionConfiguration"><bean class="org.apache.ignite.configuration.DataRegionConfiguration">
      <property name="initialSize" value="#{16L * 1024 * 1024}"/><property name="maxSize" value="#{256L * 1024 * 1024}"/>
      <property name="persistenceEnabled" value="{{.Persistent}}"/>
    </bean></property>
    <property name="walSegmentSize" value="#{4 * 1024 * 1024}"/>
    <property name="walSegments" value="2"/>
  </bean></property>
  <property name="cacheConfiguration"><list>{{range $name, $atomicity := .Templates}}
    <bean class="org.apache.ignite.configuration.CacheConfiguration">
      <property name="name" value="{{$name}}-*"/>
      <property name="groupName" value="{{$name}}"/>
      <property name="atomicityMode" value="{{$atomicity}}"/>
      <property name="backups" value="1"/>
      <property name="statisticsEnabled" value="true"/>
      <property name="writeSynchronizationMode" value="FULL_SYNC"/>
      <property name="affinity"><bean class="org.apache.ignite.cache.affinity.rendezvous.RendezvousAffinityFunction">
        <property name="partitions" value="32"/>
      </bean></property>
      <property name="queryEntities"><list><bean class="org.apache.ignite.cache.QueryEntity">
        <property name="keyType" value="java.lang.String"/><property name="valueType" value="[B"/>
        <property name="tableName" value="RECORD"/>
      </bean></list></property>
    </bean>{{end}}
  </list></property>
</bean>
</beans>
`))

// igniteOpens are the packages of Java's that Ignite looks into.
var igniteOpens = []string{
	"java.base/java.lang", "java.base/java.lang.invoke", "java.base/java.io", "java.base/java.nio", "java.base/java.math",
	"java.base/java.net", "java.base/java.util", "java.base/java.time", "java.base/java.util.concurrent",
	"java.base/java.util.concurrent.atomic", "java.base/java.util.concurrent.locks", "java.base/sun.nio.ch",
	"java.base/sun.util.calendar", "java.base/sun.reflect.generics.reflectiveObjects", "java.base/jdk.internal.misc",
	"java.base/jdk.internal.access", "java.management/com.sun.jmx.mbeanserver", "jdk.internal.jvmstat/sun.jvmstat.monitor",
	"jdk.management/com.sun.management.internal", "java.sql/java.sql",
}

// startIgnite starts so many members that ask for what was made, which is nothing where held is nil.
func startIgnite(t testing.TB, n int, persistent bool, held *secrets) (Target, *servers) {
	t.Helper()
	java, jars := Binary(t, "java"), filepath.Dir(Binary(t, "ignite-core-2.17.0.jar"))
	ports := FreePorts(t, 3*n)
	clients, discovery, communication := ports[:n], ports[n:2*n], ports[2*n:]
	cluster := &servers{config: stores.Config{Addresses: clients, Timeout: opTimeout, Credentials: held.credentials(t, nil)}, peers: discovery}
	forClients, forPeers := igniteSecurity(held)
	entry, ok := catalog.Find("ignite")
	if !ok {
		t.Fatal("ignite is not in the catalog")
	}
	for i := range n {
		name, folder := fmt.Sprintf("ignite-%d", i), t.TempDir()
		cluster.config.Names = append(cluster.config.Names, name)
		file := filepath.Join(folder, "ignite.xml")
		out, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		err = igniteConfig.Execute(out, map[string]any{
			"Name": name, "Folder": folder, "Persistent": persistent, "Members": discovery,
			"Client": portOf(t, clients[i]), "Discovery": portOf(t, discovery[i]), "Communication": portOf(t, communication[i]),
			"ClientSecurity": forClients, "PeerSecurity": forPeers,
			"Templates": map[string]string{"atomic": "ATOMIC", "transactional": "TRANSACTIONAL"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		// The tests' samples have a deadline: members give way to them.
		nice := "10"
		if measured(t) {
			nice = "0"
		}
		args := append([]string{"-n", nice, java, "-XX:-UsePerfData"}, javaOptions(t, "-Xms128m", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")...)
		for _, name := range igniteOpens {
			args = append(args, "--add-opens="+name+"=ALL-UNNAMED")
		}
		args = append(args, "-DIGNITE_UPDATE_NOTIFIER=false", "-DIGNITE_NO_ASCII=true", "-DIGNITE_PERFORMANCE_SUGGESTIONS_DISABLED=true",
			"-cp", filepath.Join(jars, "*"), "org.apache.ignite.startup.cmdline.CommandLineStartup", file)
		member := &Process{Command: func() *exec.Cmd { return exec.Command("nice", args...) }}
		cluster.members, cluster.data = append(cluster.members, member), append(cluster.data, filepath.Join(folder, "db"))
		member.Start(t)
		t.Cleanup(func() { member.End(t, name) })
		if i == 0 && held != nil && held.level == stores.SecurityAuth {
			awaitFirstUser(t, entry, cluster.config, held)
		}
	}
	return Target{Entry: entry, Config: cluster.config}, cluster
}

// awaitFirstUser waits until the first member, whose configuration it is, knows the user that a new cluster
// has. It makes that user after it has joined: who joins in between is told of none, and refuses everybody
// until it is started again. The chart starts members one after the other.
func awaitFirstUser(t testing.TB, entry *stores.Entry, config stores.Config, held *secrets) {
	t.Helper()
	config.Mode = ignite.ModeAtomic // whose observer repairs nothing
	config.Credentials = held.credentials(t, map[string][]byte{stores.FilePassword: []byte("ignite")})
	config.Addresses = config.Addresses[:1]
	observer := observe(t, Target{Entry: entry, Config: config})
	defer observer.Close()
	settle(t, observer, "the first member has its user", func(states []stores.MemberState) bool { return states[0].Error == "" })
}
