package conformance

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

func TestMemcachedAlone(t *testing.T) { testMemcached(t, 1) }

func TestMemcachedOfThree(t *testing.T) { testMemcached(t, 3) }

func testMemcached(t *testing.T, members int) {
	t.Parallel()
	target, cluster := startMemcached(t, members, nil)
	t.Run("driver", func(t *testing.T) { Driver(t, target) })
	t.Run("driver, shared connections", func(t *testing.T) { Driver(t, Sharing(target)) })
	t.Run("batches", func(t *testing.T) { Batches(t, target) })
	t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
	t.Run("usage", func(t *testing.T) { Usage(t, target, func(stores.Usage) bool { return true }) })
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
	t.Run("recovery, shared connections", func(t *testing.T) { Recovery(t, Sharing(target), cluster) })
	t.Run("records are counted", func(t *testing.T) { countsRecords(t, target, cluster) })
	t.Run("the largest record fits", func(t *testing.T) { takesTheLargest(t, target) })
}

// startMemcached starts members that ask for what the secrets have, if there are any.
func startMemcached(t testing.TB, n int, held *secrets) (Target, *servers) {
	t.Helper()
	cluster := &servers{config: stores.Config{Addresses: FreePorts(t, n), Timeout: opTimeout, Credentials: held.credentials(t, nil)}}
	for i, address := range cluster.config.Addresses {
		name := fmt.Sprintf("memcached-%d", i)
		cluster.config.Names = append(cluster.config.Names, name)
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		args := append([]string{"--listen=" + host, "--port=" + port}, memcachedSecurity(held)...)
		// It refuses to be root, and reads its secrets.
		member := &Process{Command: func() *exec.Cmd { return asNobody(t, "memcached", args...) }}
		cluster.members = append(cluster.members, member)
		member.Start(t)
		t.Cleanup(func() { member.End(t, name) })
	}
	entry, ok := catalog.Find("memcached")
	if !ok {
		t.Fatal("memcached is not in the catalog")
	}
	target := Target{Entry: entry, Config: cluster.config}
	cluster.await(t, target)
	return target, cluster
}

// countsRecords shows that the observer knows how much a killed member takes with it, and
// that no other member has any of it.
func countsRecords(t *testing.T, target Target, cluster *servers) {
	driver, session := open(t, target)
	if err := driver.Reset(t.Context(), "counted"); err != nil {
		t.Fatal(err)
	}
	const records = 300
	fill(t, session, "counted", records)
	observer := observe(t, target)
	defer observer.Close()
	held := func(states []stores.MemberState) (sum uint64) {
		for _, state := range states {
			if state.Records != nil {
				sum += *state.Records
			}
		}
		return sum
	}
	before := settle(t, observer, "all records counted", func(states []stores.MemberState) bool { return held(states) == records })
	took := *before[0].Records
	// A process is known by the second in which it began, and this one may have begun in this one.
	for begun := time.Now().Unix(); time.Now().Unix() == begun; {
		time.Sleep(10 * time.Millisecond)
	}
	cluster.Kill(t, 0)
	cluster.Start(t, 0)
	after := settle(t, observer, "the killed member back and empty", func(states []stores.MemberState) bool {
		return allHealthy(states) && *states[0].Records == 0 && held(states) == records-took
	})
	for i, state := range after {
		if was := before[i].Process; state.Process == 0 || was == 0 || (state.Process != was) != (i == 0) {
			t.Errorf("member %d was process %d and is %d", i, was, state.Process)
		}
	}
	missing := uint64(0)
	for i := range records {
		op := stores.Op{Kind: stores.Read, Table: "counted", Key: fmt.Appendf(nil, "user%04d", i), Deadline: time.Now().Add(opTimeout)}
		if err := session.Do(&op); err != nil {
			if !notThere(err) {
				t.Fatal(err)
			}
			missing++
		}
	}
	if missing != took || took == 0 {
		t.Errorf("%d records are missing, the killed member had %d", missing, took)
	}
}

// takesTheLargest holds the catalog's bound against the server, with the longest key.
func takesTheLargest(t *testing.T, target Target) {
	_, session := open(t, target)
	key := []byte(strings.Repeat("k", 250-len("large/")))
	value := holdsTheLargest(t, target, nil, session, key)
	value = append(value, make([]byte, 1024)...)
	tooLarge := stores.Op{Kind: stores.Update, Table: "large", Key: key, Values: []stores.Field{{Name: "field0", Value: value}}}
	if got := code(t, session, tooLarge); got != stores.CodeTooLarge {
		t.Errorf("code %s", got)
	}
	// The connection is as good as before.
	do(t, session, stores.Op{Kind: stores.Insert, Table: "large", Key: []byte("small"), Values: record("small")})
	tooLong := stores.Op{Kind: stores.Read, Table: "large", Key: append(key, 'k')}
	if got := code(t, session, tooLong); got != stores.CodeBadOperation {
		t.Errorf("code %s of a key of 251 bytes", got)
	}
}

func open(t *testing.T, target Target) (stores.Driver, stores.Session) {
	t.Helper()
	driver, err := target.Entry.Open(target.Config)
	if err != nil {
		t.Fatal(err)
	}
	session, err := driver.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(session.Close(), driver.Close()); err != nil {
			t.Error(err)
		}
	})
	return driver, session
}
