package conformance

import (
	"context"
	"errors"
	"fmt"
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

	goredis "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// sentinelOffset is from a member's port to its Sentinel's, as the driver has it.
const sentinelOffset = 20000

func TestRedisAlone(t *testing.T) {
	t.Parallel()
	target, cluster := startRedis(t, "redis", 1, nil)
	t.Run("driver", func(t *testing.T) { Driver(t, target) })
	t.Run("driver, shared connections", func(t *testing.T) { Driver(t, Sharing(target)) })
	t.Run("observer", func(t *testing.T) { Observer(t, target, &cluster.servers) })
	t.Run("batches", func(t *testing.T) { Batches(t, target) })
	t.Run("usage", func(t *testing.T) { Usage(t, target, tellsSizes) })
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, &cluster.servers) })
	t.Run("recovery, shared connections", func(t *testing.T) { Recovery(t, Sharing(target), &cluster.servers) })
	t.Run("the names are YCSB's", func(t *testing.T) { hasYCSBsNames(t, target) })
	t.Run("others' keys stay", func(t *testing.T) { leavesOthersAlone(t, target) })
	t.Run("a primary that is back has another term", func(t *testing.T) { countsRestarts(t, target, cluster) })
}

func TestRedisOfThree(t *testing.T) { testRedisOfThree(t, "redis") }

func TestValkeyOfThree(t *testing.T) { testRedisOfThree(t, "valkey") }

func testRedisOfThree(t *testing.T, store string) {
	t.Parallel()
	target, cluster := startRedis(t, store, 3, nil)
	t.Run("driver", func(t *testing.T) { Driver(t, target) })
	t.Run("driver, shared connections", func(t *testing.T) { Driver(t, Sharing(target)) })
	t.Run("observer", func(t *testing.T) { Observer(t, target, &cluster.servers) })
	t.Run("batches", func(t *testing.T) { Batches(t, target) })
	t.Run("usage", func(t *testing.T) { Usage(t, target, tellsSizes) })
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, &cluster.servers) })
	t.Run("recovery, shared connections", func(t *testing.T) { Recovery(t, Sharing(target), &cluster.servers) })
	t.Run("a write waits for its replicas", func(t *testing.T) { waitsForReplicas(t, target, cluster) })
	t.Run("a primary that is back has another term", func(t *testing.T) { countsRestarts(t, target, cluster) })
}

// tellsSizes says that a member's usage has its memory and its file.
func tellsSizes(u stores.Usage) bool { return u.ResidentBytes != nil && u.DataBytes != nil }

// redisServers are servers on loopback, and where there are several a Sentinel beside each.
type redisServers struct {
	servers
	sentinels []string
}

// startRedis starts servers whose configuration is read from their input, as in a pod. With secrets
// they ask for them.
func startRedis(t testing.TB, store string, n int, held *secrets) (Target, *redisServers) {
	t.Helper()
	binary := Binary(t, store+"-server")
	cluster := &redisServers{servers: servers{config: stores.Config{
		Addresses: FreePorts(t, n, sentinelOffset), Timeout: opTimeout, Credentials: held.credentials(t, nil),
	}}}
	for i, address := range cluster.config.Addresses {
		name, port, folder := fmt.Sprintf("redis-%d", i), portOf(t, address), t.TempDir()
		cluster.config.Names = append(cluster.config.Names, name)
		member := &Process{Command: func() *exec.Cmd {
			args := []string{"-", "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "yes", "--repl-diskless-sync-delay", "0"}
			if primary := cluster.primary(t); primary != address {
				args = append(args, "--replicaof", "127.0.0.1", fmt.Sprint(portOf(t, primary)))
			}
			command := exec.Command(binary, args...)
			command.Stdin = strings.NewReader(joinRedis(held, port))
			return command
		}}
		cluster.members = append(cluster.members, member)
		member.Start(t)
		t.Cleanup(func() { member.End(t, name) })
	}
	if n > 1 {
		for _, address := range cluster.config.Addresses {
			cluster.startSentinel(t, binary, fmt.Sprint("127.0.0.1:", portOf(t, address)+sentinelOffset), held)
		}
	}
	entry, ok := catalog.Find(store)
	if !ok {
		t.Fatal(store, " is not in the catalog")
	}
	own := *entry
	own.Modes = slices.DeleteFunc(slices.Clone(entry.Modes), func(mode stores.Mode) bool { return mode.Name == "cluster" })
	target := Target{Entry: &own, Config: cluster.config}
	cluster.await(t, target)
	return target, cluster
}

// startSentinel starts one that has two seconds to find out that a primary is gone.
func (r *redisServers) startSentinel(t testing.TB, binary, address string, held *secrets) {
	folder, name := t.TempDir(), fmt.Sprint("sentinel-", len(r.sentinels))
	file := filepath.Join(folder, "sentinel.conf")
	lines := listenRedis(held, portOf(t, address)) + fmt.Sprintf("bind 127.0.0.1\ndir %s\nsentinel monitor mymaster 127.0.0.1 %d %d\n"+
		"sentinel down-after-milliseconds mymaster 2000\nsentinel failover-timeout mymaster 5000\n",
		folder, portOf(t, r.config.Addresses[0]), len(r.members)/2+1)
	if held != nil {
		lines += fmt.Sprintf("sentinel auth-pass mymaster \"%s\"\n", held.files[stores.FilePassword])
	}
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	sentinel := &Process{Command: func() *exec.Cmd { return exec.Command(binary, file, "--sentinel") }}
	sentinel.Start(t)
	t.Cleanup(func() { sentinel.End(t, name) })
	r.sentinels = append(r.sentinels, address)
}

// primary is the address that most Sentinels have, as a pod's start script asks for it; before
// they run it is the first member's.
func (r *redisServers) primary(t testing.TB) string {
	votes, best := map[string]int{}, r.config.Addresses[0]
	for _, address := range r.sentinels {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		sentinel := goredis.NewSentinelClient(redisOptions(r.config, address))
		if at, err := sentinel.GetMasterAddrByName(ctx, "mymaster").Result(); err == nil && len(at) == 2 {
			named := net.JoinHostPort(at[0], at[1])
			if votes[named]++; votes[named] > votes[best] {
				best = named
			}
		}
		_ = sentinel.Close()
		cancel()
	}
	return best
}

func portOf(t testing.TB, address string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	port, convErr := strconv.Atoi(text)
	if err := errors.Join(err, convErr); err != nil {
		t.Fatal(err)
	}
	return port
}

// hasYCSBsNames reads what the driver wrote as YCSB's own client would.
func hasYCSBsNames(t *testing.T, target Target) {
	_, session := open(t, target)
	const key = "user6284781860667377211"
	do(t, session, stores.Op{Kind: stores.Insert, Table: "usertable", Key: []byte(key), Values: record("a")})
	redis := goredis.NewClient(&goredis.Options{Addr: target.Config.Addresses[0]})
	defer redis.Close()
	fields, err := redis.HGetAll(t.Context(), key).Result()
	if err != nil || len(fields) != 2 || fields["field0"] != "a" {
		t.Errorf("%v, %v", fields, err)
	}
	// "user6284781860667377211".hashCode() in Java.
	if score, err := redis.ZScore(t.Context(), "_indices", key).Result(); err != nil || score != -594971599 {
		t.Errorf("score %v, %v", score, err)
	}
	slash := stores.Op{Kind: stores.Insert, Table: "usertable", Key: []byte("table1/user1"), Values: record("a")}
	if got := code(t, session, slash); got != stores.CodeBadOperation {
		t.Errorf("code %s of a key that is another table's", got)
	}
}

// leavesOthersAlone shows that a reset removes a table's records and, where others use the servers,
// nothing that isn't known to be one.
func leavesOthersAlone(t *testing.T, target Target) {
	target.Config.Shared = true
	redis := goredis.NewClient(&goredis.Options{Addr: target.Config.Addresses[0]})
	defer redis.Close()
	others := []string{"session:1", "cart-7", "else/where"}
	for _, name := range others {
		if err := redis.Set(t.Context(), name, "theirs", 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	driver, session := open(t, target)
	for _, table := range []string{"usertable", "tried"} {
		fill(t, session, table, 3000)
		if err := driver.Reset(t.Context(), table); err != nil {
			t.Fatal(err)
		}
		if got := code(t, session, stores.Op{Kind: stores.Read, Table: table, Key: []byte("user0000")}); got != stores.CodeNotFound {
			t.Errorf("a record of %s after the reset: %s", table, got)
		}
	}
	left, err := redis.Keys(t.Context(), "*").Result()
	left = slices.DeleteFunc(left, func(name string) bool { // other tests' tables
		return strings.Contains(name, "/") && !strings.HasPrefix(name, "tried/") && name != "else/where"
	})
	slices.Sort(left)
	slices.Sort(others)
	if err != nil || !slices.Equal(left, others) {
		t.Errorf("left is %.200q, %v", left, err)
	}
}

// countsRestarts ends a primary for less time than the Sentinels need to miss it.
func countsRestarts(t *testing.T, target Target, cluster *redisServers) {
	observer := observe(t, target)
	defer observer.Close()
	before := settle(t, observer, "one primary", func(states []stores.MemberState) bool { return ledBy(states) != "" && allHealthy(states) })
	leader := indexOf(target.Config.Names, ledBy(before))
	cluster.Kill(t, leader)
	cluster.Start(t, leader)
	after := settle(t, observer, "the same primary again, later", func(states []stores.MemberState) bool {
		return allHealthy(states) && ledBy(states) != "" && states[leader].Term > before[leader].Term
	})
	if ledBy(after) == ledBy(before) && after[leader].Term != before[leader].Term+1 {
		t.Errorf("term %d after %d", after[leader].Term, before[leader].Term)
	}
}

// waitsForReplicas stops the replicas, without ending them.
func waitsForReplicas(t *testing.T, target Target, cluster *redisServers) {
	observer := observe(t, target)
	defer observer.Close()
	states := settle(t, observer, "one primary", func(states []stores.MemberState) bool { return ledBy(states) != "" && allHealthy(states) })
	signal := func(signal syscall.Signal) {
		for i, member := range cluster.members {
			if target.Config.Names[i] != ledBy(states) {
				member.Signal(t, signal)
			}
		}
	}
	waiting := target
	waiting.Config.Mode = "wait-majority"
	_, session := open(t, waiting)
	do(t, session, stores.Op{Kind: stores.Insert, Table: "waits", Key: []byte("before"), Values: record("a")})
	signal(syscall.SIGSTOP)
	defer signal(syscall.SIGCONT)
	// A server looks ten times a second for whom it has kept waiting: the tenth that the driver leaves
	// for its answer has to be longer than that, on a busy machine too.
	op := stores.Op{Kind: stores.Insert, Table: "waits", Key: []byte("alone"), Values: record("a"), Deadline: time.Now().Add(opTimeout)}
	err := session.Do(&op)
	var failure *stores.Error
	if !errors.As(err, &failure) || failure.Outcome != stores.Unknown || failure.Code != "NotReplicated" {
		t.Errorf("a write that no replica has: %v", err)
	}
	// The primary has it all the same.
	do(t, session, stores.Op{Kind: stores.Read, Table: "waits", Key: []byte("alone")})
}
