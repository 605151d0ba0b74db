package conformance

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
	"github.com/kvbench/kvbench/internal/stores/hazelcast"
)

func TestHazelcastAlone(t *testing.T) { testHazelcast(t, 1) }

func TestHazelcastOfThree(t *testing.T) { testHazelcast(t, 3) }

// TestHazelcastOfFour has a member outside of the raft group, which three are in.
func TestHazelcastOfFour(t *testing.T) {
	target, cluster := startHazelcast(t, 4)
	target = inMode(target, hazelcast.ModeCP)
	repaired := repairs(t, target)
	cluster.await(t, target)
	t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
	observer := observe(t, target)
	defer observer.Close()
	outside := -1
	for i, state := range settle(t, observer, "all healthy", allHealthy) {
		if state.Role == stores.MemberAlike {
			if outside >= 0 {
				t.Fatalf("members %d and %d are outside of the group", outside, i)
			}
			outside = i
		}
	}
	if outside < 0 {
		t.Fatal("no member is outside of the group")
	}
	before := len(repaired())
	if before == 0 {
		t.Error("the leader was killed, and nothing was repaired")
	}
	cluster.Kill(t, outside)
	settle(t, observer, "the one outside away, and the others well", func(states []stores.MemberState) bool {
		return states[outside].Role == stores.MemberUnknown && ledBy(states) != ""
	})
	cluster.Start(t, outside)
	settle(t, observer, "all healthy again", allHealthy)
	if did := repaired()[before:]; len(did) > 0 {
		t.Errorf("one outside of the group came back, and needed %q", did)
	}
}

func testHazelcast(t *testing.T, members int) {
	target, cluster := startHazelcast(t, members)
	if members > 1 {
		repairs(t, inMode(target, hazelcast.ModeCP))
		cluster.await(t, inMode(target, hazelcast.ModeCP))
	}
	t.Run("driver", func(t *testing.T) { Driver(t, target) })
	t.Run("driver, shared connections", func(t *testing.T) { Driver(t, Sharing(target)) })
	t.Run("batches", func(t *testing.T) { Batches(t, target) })
	// A group of three survives one member's end after the other, if it is whole in between, which
	// the tests of the other mode don't look at.
	for _, mode := range []string{hazelcast.ModeCP, hazelcast.ModeIMap} {
		if mode == hazelcast.ModeCP && members == 1 {
			continue
		}
		target := inMode(target, mode)
		t.Run("observer, "+mode, func(t *testing.T) { Observer(t, target, cluster) })
		t.Run("usage, "+mode, func(t *testing.T) {
			Usage(t, target, func(used stores.Usage) bool { return used.CollectorMicros != nil })
		})
		t.Run("recovery, "+mode, func(t *testing.T) { Recovery(t, target, cluster) })
		t.Run("recovery, shared connections, "+mode, func(t *testing.T) { Recovery(t, Sharing(target), cluster) })
	}
	t.Run("members find what was written", func(t *testing.T) { findsByKey(t, target) })
	if members > 1 {
		t.Run("a late look is no change", func(t *testing.T) { LateLook(t, inMode(target, hazelcast.ModeIMap), cluster) })
		t.Run("a killed member takes nothing with it", func(t *testing.T) { keepsBackups(t, target, cluster) })
	}
}

func inMode(target Target, mode string) Target {
	target.Config.Mode = mode
	return target
}

// hazelcastConfig is for members on loopback alone. They join at once, without the seconds that
// they would wait for more of them.
const hazelcastConfig = `hazelcast:
  network:
    public-address: %[1]s
    port: {port: %[2]s, auto-increment: false}
    interfaces: {enabled: true, interfaces: [127.0.0.1]}
    join:
      auto-detection: {enabled: false}
      multicast: {enabled: false}
      tcp-ip: {enabled: true, member-list: [%[3]s]}
    rest-api: {enabled: true, endpoint-groups: {DATA: {enabled: true}}}
%[4]s  jet: {enabled: true}
  map: {default: {indexes: [{type: SORTED, attributes: [__key]}]}}
  properties:
    hazelcast.socket.bind.any: "false"
    hazelcast.phone.home.enabled: "false"
    hazelcast.wait.seconds.before.join: "0"
    hazelcast.diagnostics.metrics.period.seconds: "1"
`

// hazelcastCP is for members enough. What a member is in the raft group its metrics tell. A leader
// that is back before its followers see it gone is missed by its heartbeats, in 3 s here.
const hazelcastCP = `  cp-subsystem:
    cp-member-count: %[1]d
    group-size: %[1]d
    fail-on-indeterminate-operation-state: true
    raft-algorithm: {leader-heartbeat-period-in-millis: 1000, max-missed-leader-heartbeat-count: 3}
  metrics: {collection-frequency-seconds: 1}
`

func startHazelcast(t testing.TB, n int) (Target, *servers) {
	t.Helper()
	java, jars := Binary(t, "java"), Binary(t, "hazelcast-5.4.0.jar")+":"+Binary(t, "hazelcast-sql-5.4.0.jar")
	cluster := &servers{config: stores.Config{Addresses: FreePorts(t, n), Timeout: opTimeout}}
	entry, ok := catalog.Find("hazelcast")
	if !ok {
		t.Fatal("hazelcast is not in the catalog")
	}
	target := Target{Entry: entry, Config: cluster.config}
	for i, address := range cluster.config.Addresses {
		name := fmt.Sprintf("hazelcast-%d", i)
		cluster.config.Names = append(cluster.config.Names, name)
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "hazelcast.yaml")
		cp := ""
		if n > 1 {
			cp = fmt.Sprintf(hazelcastCP, hazelcast.GroupSize(n))
		}
		text := fmt.Sprintf(hazelcastConfig, address, port, strings.Join(cluster.config.Addresses, ", "), cp)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		member := &Process{Command: func() *exec.Cmd {
			return exec.Command(java, append(javaOptions(t, "-Xms256m", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"), "-XX:-UsePerfData", "--add-modules=java.se",
				"--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED",
				"--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens=java.management/sun.management=ALL-UNNAMED",
				"--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED", "-Dhazelcast.config="+file,
				"-cp", jars, "com.hazelcast.core.server.HazelcastMemberStarter")...)
		}}
		cluster.members = append(cluster.members, member)
		member.Start(t)
		t.Cleanup(func() { member.End(t, name) })
	}
	target.Config = cluster.config
	cluster.await(t, target)
	return target, cluster
}

// findsByKey asks the members over another protocol, by the keys: so the key's type and partition
// are what Hazelcast's own make of it.
func findsByKey(t *testing.T, target Target) {
	_, session := open(t, target)
	fill(t, session, "found", 50)
	client := &http.Client{Timeout: opTimeout}
	for i := range 50 {
		key := fmt.Sprintf("user%04d", i)
		answer, err := client.Get(fmt.Sprintf("http://%s/hazelcast/rest/maps/found/%s", target.Config.Addresses[0], key))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), key) {
			t.Fatalf("%s: %s, %q, %v", key, answer.Status, body, err)
		}
	}
}

// keepsBackups shows that what was acknowledged is still there, without the member.
func keepsBackups(t *testing.T, target Target, cluster *servers) {
	driver, session := open(t, target)
	if err := driver.Reset(t.Context(), "kept"); err != nil {
		t.Fatal(err)
	}
	const records = 500
	fill(t, session, "kept", records)
	cluster.Kill(t, 1)
	defer func() {
		cluster.Start(t, 1)
		observer := observe(t, target)
		defer observer.Close()
		settle(t, observer, "all healthy again", allHealthy)
	}()
	deadline := time.Now().Add(settleTimeout)
	for i := 0; i < records; {
		op := stores.Op{Kind: stores.Read, Table: "kept", Key: fmt.Appendf(nil, "user%04d", i), Deadline: time.Now().Add(opTimeout)}
		err := session.Do(&op)
		if notThere(err) {
			t.Fatalf("%s is lost", op.Key)
		}
		if err == nil {
			i++
		} else if time.Now().After(deadline) { // what the killed one owned, until the others know
			t.Fatal(err)
		}
	}
}
