package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
	"github.com/kvbench/kvbench/internal/stores/etcd"
)

func TestEtcdAlone(t *testing.T) { testEtcd(t, 1) }

func TestEtcdOfThree(t *testing.T) { testEtcd(t, 3) }

func testEtcd(t *testing.T, members int) {
	t.Parallel()
	cluster := startEtcd(t, members, nil)
	entry, ok := catalog.Find("etcd")
	if !ok {
		t.Fatal("etcd is not in the catalog")
	}
	target := Target{Entry: entry, Config: cluster.config}
	cluster.await(t, target)
	// The layout of records is the same with any number of members, and whoever shares a connection.
	whole := inWholeRecords(target)
	t.Run("driver", func(t *testing.T) { Driver(t, whole) })
	if members == 1 {
		t.Run("driver, shared connections", func(t *testing.T) { Driver(t, Sharing(whole)) })
		t.Run("driver, a key for each field", func(t *testing.T) {
			Driver(t, Target{Entry: withoutModes(entry, func(m *stores.Mode) bool { return m.Name != etcd.ModeLinearizable+"-fields" }), Config: cluster.config})
		})
		t.Run("fields", func(t *testing.T) { keepsFieldsApart(t, target) })
	}
	t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
	t.Run("batches", func(t *testing.T) { Batches(t, target) })
	t.Run("usage", func(t *testing.T) {
		Usage(t, target, func(u stores.Usage) bool {
			return u.ResidentBytes != nil && u.DataBytes != nil && u.CollectorMicros != nil
		})
	})
	t.Run("history", func(t *testing.T) { keepsHistory(t, target) })
	t.Run("the largest record fits", func(t *testing.T) {
		_, session := open(t, target)
		holdsTheLargest(t, target, nil, session, []byte(strings.Repeat("k", 250)))
	})
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
	t.Run("recovery, shared connections", func(t *testing.T) { Recovery(t, Sharing(target), cluster) })
}

// rejoins shows that a leader and a follower come back after they lost their data, that the observer
// tells so, and that no record is lost.
func rejoins(t *testing.T, target Target, cluster *servers) {
	_, session := open(t, target)
	fill(t, session, "rejoin", 20)
	observer := observe(t, target)
	defer observer.Close()
	names := target.Config.Names
	leader := indexOf(names, ledBy(settle(t, observer, "a leader", func(states []stores.MemberState) bool {
		return allHealthy(states) && ledBy(states) != ""
	})))
	for _, i := range []int{leader, (leader + 1) % len(names)} {
		name := names[i]
		cluster.Kill(t, i)
		if err := cluster.members[i].Forget(); err != nil {
			t.Fatal(err)
		}
		settle(t, observer, name+" away", func(states []stores.MemberState) bool { return !states[i].Healthy })
		cluster.Start(t, i)
		settle(t, observer, "all healthy again", allHealthy)
		did, err := observer.(stores.Repairer).Repair(t.Context(), time.Second)
		if err != nil || !strings.HasPrefix(did, name+" was taken in anew") {
			t.Errorf("%s came back, and the observer tells %q, %v", name, did, err)
		}
	}
	for i := range 20 {
		do(t, session, stores.Op{Kind: stores.Read, Table: "rejoin", Key: fmt.Appendf(nil, "user%04d", i)})
	}
}

// keepsHistory shows that a reset leaves alone what is of all tables, where others use them.
func keepsHistory(t *testing.T, target Target) {
	client, err := clientv3.New(clientv3.Config{Endpoints: target.Config.Addresses, DialTimeout: opTimeout})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, shared := range []bool{true, false} {
		target.Config.Shared = shared
		put, err := client.Put(t.Context(), "somebody's", "value")
		if err != nil {
			t.Fatal(err)
		}
		driver, session := open(t, target)
		fill(t, session, "history", 5)
		if err := driver.Reset(t.Context(), "history"); err != nil {
			t.Fatal(err)
		}
		_, err = client.Get(t.Context(), "somebody's", clientv3.WithRev(put.Header.Revision))
		if shared && err != nil || !shared && !errors.Is(err, rpctypes.ErrCompacted) {
			t.Errorf("shared %v: the history gives %v", shared, err)
		}
	}
}

// startEtcd starts members that ask for what there is.
func startEtcd(t testing.TB, n int, held *secrets) *servers {
	t.Helper()
	scheme, more := "http://", []string(nil)
	if held != nil {
		more = etcdSecurity(held)
	}
	if held != nil && held.level == stores.SecurityTLS {
		scheme = "https://"
	}
	binary, folder := Binary(t, "etcd"), t.TempDir()
	ports := FreePorts(t, 2*n)
	clients, peers := ports[:n], ports[n:]
	cluster := &servers{config: stores.Config{Addresses: clients, Timeout: opTimeout, Credentials: held.credentials(t, nil)}, peers: peers}
	var initial []string
	lost := make([]bool, n)
	for i := range n {
		name := fmt.Sprintf("etcd-%d", i)
		cluster.config.Names = append(cluster.config.Names, name)
		initial = append(initial, name+"="+scheme+peers[i])
	}
	if n > 1 {
		// So that no leader is taken for dead while a busy machine lets it wait for a core.
		more = append(more, "--heartbeat-interval=300", "--election-timeout=3000")
	}
	for i, name := range cluster.config.Names {
		member := &Process{Command: func() *exec.Cmd {
			command := append([]string{binary, "--name=" + name, "--data-dir=" + filepath.Join(folder, name),
				"--listen-client-urls=" + scheme + clients[i], "--advertise-client-urls=" + scheme + clients[i],
				"--listen-peer-urls=" + scheme + peers[i], "--initial-advertise-peer-urls=" + scheme + peers[i],
				"--initial-cluster=" + strings.Join(initial, ","), "--initial-cluster-state=new",
				"--unsafe-no-fsync", "--log-level=warn"}, more...)
			if lost[i] {
				joined, err := etcd.Join(t.Context(), command, held.usersOfMembers(t), t.Logf)
				if err != nil {
					t.Fatal(err)
				}
				command = joined
			}
			return exec.Command(command[0], command[1:]...)
		}, Forget: func() error {
			lost[i] = true
			return os.RemoveAll(filepath.Join(folder, name))
		}}
		cluster.members = append(cluster.members, member)
		member.Start(t)
		t.Cleanup(func() { member.End(t, name) })
	}
	return cluster
}

func BenchmarkEtcd(b *testing.B) {
	cluster := startEtcd(b, 1, nil)
	entry, _ := catalog.Find("etcd")
	target := Target{Entry: entry, Config: cluster.config}
	cluster.await(b, target)
	benchmark(b, target)
}

// benchmark shows what an operation costs the load generator, allocations above all: the
// server answers from another process.
func benchmark(b *testing.B, target Target) {
	driver, err := target.Entry.Open(target.Config)
	if err != nil {
		b.Fatal(err)
	}
	defer driver.Close()
	session, err := driver.NewSession()
	if err != nil {
		b.Fatal(err)
	}
	values := make([]stores.Field, 10)
	for i := range values {
		values[i] = stores.Field{Name: fmt.Sprintf("field%d", i), Value: make([]byte, 100)}
	}
	op := stores.Op{Table: "bench", Key: []byte("user1"), Values: values}
	for _, kind := range []stores.Kind{stores.Insert, stores.Update, stores.Read} {
		b.Run(kind.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				op.Kind, op.Deadline = kind, time.Now().Add(opTimeout)
				if err := session.Do(&op); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// inWholeRecords is the target without the modes that have a key for each field.
func inWholeRecords(target Target) Target {
	target.Entry = withoutModes(target.Entry, func(m *stores.Mode) bool { return !m.WholeRecord })
	return target
}

// withoutModes is the store without some of its modes.
func withoutModes(entry *stores.Entry, without func(*stores.Mode) bool) *stores.Entry {
	some := *entry
	some.Modes = slices.DeleteFunc(slices.Clone(entry.Modes), func(m stores.Mode) bool { return without(&m) })
	return &some
}

func sameField(a, b stores.Field) bool { return a.Name == b.Name && bytes.Equal(a.Value, b.Value) }

// keepsFieldsApart shows what the modes with fields leave in etcd, and that records need not have equally many.
func keepsFieldsApart(t *testing.T, target Target) {
	target.Config.Mode = "linearizable-fields"
	_, session := open(t, target)
	counts := []int{3, 1, 12, 40, 2, 0, 5}
	// In the order of their bytes, with those that keys in etcd have between a record and its fields.
	keys := []string{"user0", "user1", "user1\x00", "user1\x00\x01", "user1\x00\x02f", "user1\x01", "user2"}
	record := func(i, fields int) stores.Op {
		op := stores.Op{Kind: stores.Insert, Table: "apart", Key: []byte(keys[min(i, len(keys)-1)])}
		for k := range fields {
			op.Values = append(op.Values, stores.Field{Name: fmt.Sprintf("f%02d", k), Value: fmt.Appendf(nil, "%d of %d", k, i)})
		}
		return op
	}
	var batch []stores.Op
	for i, fields := range counts {
		if fields > 0 { // else there is no such record
			op := record(i, fields)
			op.Deadline = time.Now().Add(opTimeout)
			batch = append(batch, op)
		}
	}
	for i := range 5 { // more than one transaction takes
		op := record(100+i, 40)
		op.Table, op.Deadline = batch[0].Table, batch[0].Deadline
		op.Key = fmt.Appendf(nil, "before%d", i)
		batch = append(batch, op)
	}
	if err := session.(stores.Batcher).InsertAll(batch); err != nil {
		t.Fatal(err)
	}
	do(t, session, stores.Op{Kind: stores.Update, Table: "apart", Key: []byte("user0"), Values: []stores.Field{{Name: "f01", Value: []byte("new")}}})

	client, err := clientv3.New(clientv3.Config{Endpoints: target.Config.Addresses, DialTimeout: opTimeout})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	found, err := client.Get(t.Context(), "apart/user0", clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, kv := range found.Kvs {
		there = append(there, fmt.Sprintf("%s=%s@%d", kv.Key, kv.Value, kv.Version))
	}
	if want := []string{"apart/user0\x00\x01f00=0 of 0@1", "apart/user0\x00\x01f01=new@2", "apart/user0\x00\x01f02=2 of 0@1"}; !slices.Equal(there, want) {
		t.Errorf("etcd has %q, want %q", there, want)
	}

	for range 2 { // the second one knows how many fields there are
		for count := range len(counts) + 2 {
			if count == 0 {
				continue
			}
			var want []stores.Field
			for taken, i := 0, 1; i < len(counts) && taken < count; i++ {
				if counts[i] > 0 {
					taken++
				}
				want = append(want, record(i, counts[i]).Values...)
			}
			got := do(t, session, stores.Op{Kind: stores.Scan, Table: "apart", Key: []byte("user1"), Count: count}).Result
			if !slices.EqualFunc(got, want, sameField) {
				t.Errorf("a scan of %d records has %q, want %q", count, got, want)
			}
		}
	}
	for i := 1; i < len(keys); i++ {
		if counts[i] > 0 {
			read := do(t, session, stores.Op{Kind: stores.Read, Table: "apart", Key: []byte(keys[i])}).Result
			if want := record(i, counts[i]).Values; !sameFields(read, want) {
				t.Errorf("the record %q is %q, want %q", keys[i], read, want)
			}
		}
	}
	do(t, session, stores.Op{Kind: stores.Delete, Table: "apart", Key: []byte(keys[3])})
	if left, err := client.Get(t.Context(), "apart/", clientv3.WithPrefix(), clientv3.WithCountOnly()); err != nil || left.Count != 3+1+12+2+5+5*40 {
		t.Errorf("after a record was deleted there are %+v, %v", left, err)
	}
}
