package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// busOffset is from a member's port to the one at which members talk to each other, by Redis'
// default.
const busOffset = 10000

const nobody = -1

func TestRedisClusterAlone(t *testing.T) {
	t.Parallel()
	target, cluster, repaired := startRedisCluster(t, "redis", 1, nil)
	t.Run("driver", func(t *testing.T) { Driver(t, target) })
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
	if did := repaired(); !slices.Equal(did, []string{"redis-0 was given 16384 slots"}) {
		t.Errorf("repairs %q", did)
	}
}

func TestRedisClusterOfThree(t *testing.T) { testRedisCluster(t, "redis", 3, nil) }

func TestRedisClusterOfSix(t *testing.T) {
	target, cluster, repaired := testRedisCluster(t, "redis", 6, nil)
	t.Run("a member that lost its data is taken in again", func(t *testing.T) { takesIn(t, target, cluster, repaired) })
	t.Run("operations follow a slot to another member", func(t *testing.T) { followsSlots(t, target) })
}

func TestValkeyClusterOfSix(t *testing.T) { testRedisCluster(t, "valkey", 6, nil) }

func testRedisCluster(t *testing.T, store string, n int, held *secrets) (Target, *redisCluster, func() []string) {
	t.Parallel()
	target, cluster, repaired := startRedisCluster(t, store, n, held)
	t.Run("driver", func(t *testing.T) { Driver(t, target) })
	t.Run("driver, shared connections", func(t *testing.T) { Driver(t, Sharing(target)) })
	t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
	t.Run("batches", func(t *testing.T) { Batches(t, target) })
	t.Run("usage", func(t *testing.T) { Usage(t, target, tellsSizes) })
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
	t.Run("recovery, shared connections", func(t *testing.T) { Recovery(t, Sharing(target), cluster) })
	return target, cluster, repaired
}

// redisCluster are servers on loopback that are one Redis Cluster, once somebody has made it.
type redisCluster struct {
	servers
	folders []string
}

// startRedisCluster has the observer make the cluster, as it does in a run.
func startRedisCluster(t *testing.T, store string, n int, held *secrets) (Target, *redisCluster, func() []string) {
	t.Helper()
	binary := Binary(t, store+"-server")
	cluster := &redisCluster{servers: servers{config: stores.Config{
		Addresses: FreePorts(t, n, busOffset), Timeout: opTimeout, Mode: "cluster", Credentials: held.credentials(t, nil),
	}}}
	for i, address := range cluster.config.Addresses {
		name, port, folder := fmt.Sprintf("redis-%d", i), portOf(t, address), t.TempDir()
		cluster.config.Names, cluster.folders = append(cluster.config.Names, name), append(cluster.folders, folder)
		member := &Process{Command: func() *exec.Cmd {
			command := exec.Command(binary, "-", "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "yes",
				"--repl-diskless-sync-delay", "0", "--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
				"--cluster-announce-hostname", name+".test", "--cluster-preferred-endpoint-type", "hostname")
			lines := joinRedis(held, port)
			if held != nil && held.level == stores.SecurityTLS {
				lines += "tls-cluster yes\n"
			}
			command.Stdin = strings.NewReader(lines)
			return command
		}}
		cluster.members = append(cluster.members, member)
		member.Start(t)
		t.Cleanup(func() { member.End(t, name) })
	}
	entry, ok := catalog.Find(store)
	if !ok {
		t.Fatal(store, " is not in the catalog")
	}
	own := *entry
	own.Modes = slices.DeleteFunc(slices.Clone(entry.Modes), func(mode stores.Mode) bool { return mode.Name != "cluster" })
	target := Target{Entry: &own, Config: cluster.config}
	repaired := repairs(t, target)
	observer := observe(t, target)
	defer observer.Close()
	settle(t, observer, "all healthy", allHealthy)
	cluster.await(t, target)
	return target, cluster, repaired
}

// followsSlots moves a primary's slots to its replica under load. What a member refuses since it has
// the slot no more is done by the one that has it. A member that hears of the old primary's end before
// it hears of the new one's begin refuses everything for some 20 ms, which is a failure.
func followsSlots(t *testing.T, target Target) {
	observer := observe(t, target)
	defer observer.Close()
	driver, _ := open(t, target)
	replica := nobody
	for i, state := range settle(t, observer, "all healthy", allHealthy) {
		if state.Role == stores.MemberReplica {
			replica = i // the last one, which has been a replica all the time
		}
	}
	if replica == nobody {
		t.Fatal("there is no replica")
	}
	member := goredis.NewClient(redisOptions(target.Config, target.Config.Addresses[replica]))
	defer member.Close()
	writers := newWriters(t, driver, "moves")
	if err := member.ClusterFailover(t.Context()).Err(); err != nil {
		t.Error(err)
	}
	writers.until(t, "the replica is the primary", func(attempt) bool {
		nodes, err := member.ClusterNodes(t.Context()).Result()
		return err == nil && strings.Contains(nodes, "myself,master")
	})
	done := 0
	writers.until(t, "some more writes", func(a attempt) bool {
		if a.err == nil {
			done++
		}
		return done == 500
	})
	for _, a := range writers.end() {
		var failure *stores.Error
		if a.err != nil && (!errors.As(a.err, &failure) || failure.Code != "CLUSTERDOWN") {
			t.Errorf("%s: %v", a.key, a.err)
		}
	}
}

// replicated waits until the replicas of a primary have what was written.
func replicated(t *testing.T, config stores.Config, primary int) {
	options := redisOptions(config, config.Addresses[primary])
	options.PoolSize = 1
	member := goredis.NewClient(options)
	defer member.Close()
	// A connection's WAIT is for what it wrote itself, so it writes: one of its keys is the member's.
	for i := range 1000 {
		err := member.Set(t.Context(), fmt.Sprint("wait/", i), "", 0).Err()
		if err == nil {
			break
		}
		if !strings.HasPrefix(err.Error(), "MOVED") {
			t.Fatal(err)
		}
	}
	if n, err := member.Wait(t.Context(), 1, opTimeout).Result(); err != nil || n < 1 {
		t.Fatalf("%d replicas have the records: %v", n, err)
	}
}

// takesIn ends a primary, waits until its replica has its place, and brings it back without data.
func takesIn(t *testing.T, target Target, cluster *redisCluster, repaired func() []string) {
	observer := observe(t, target)
	defer observer.Close()
	primaries := func(states []stores.MemberState) (members []int) {
		for i, state := range states {
			if state.Role == stores.MemberPrimary {
				members = append(members, i)
			}
		}
		return members
	}
	lost := primaries(settle(t, observer, "all healthy", allHealthy))[0]
	driver, session := open(t, target)
	const records = 300
	fill(t, session, "taken", records)
	replicated(t, target.Config, lost)
	before := len(repaired())
	cluster.Kill(t, lost)
	settle(t, observer, "three primaries without it", func(states []stores.MemberState) bool { return len(primaries(states)) == 3 })
	entries, err := os.ReadDir(cluster.folders[lost])
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(cluster.folders[lost], entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	cluster.Start(t, lost)
	after := settle(t, observer, "all healthy again", allHealthy)
	if after[lost].Role != stores.MemberReplica {
		t.Errorf("it is %+v", after[lost])
	}
	if did := strings.Join(repaired()[before:], "; "); !strings.Contains(did, target.Config.Names[lost]+" was made a replica of") {
		t.Errorf("repairs %q", did)
	}
	if err := driver.Ping(context.Background()); err != nil {
		t.Error(err)
	}
	for i := range records {
		do(t, session, stores.Op{Kind: stores.Read, Table: "taken", Key: fmt.Appendf(nil, "user%04d", i)})
	}
}
