package conformance

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

func TestPostgresqlAlone(t *testing.T) { testPostgresql(t, 1) }

func TestPostgresqlOfThree(t *testing.T) { testPostgresql(t, 3) }

func testPostgresql(t *testing.T, members int) {
	t.Parallel()
	target, cluster := startPostgresql(t, members, nil)
	t.Run("driver", func(t *testing.T) { Driver(t, target) })
	t.Run("driver, shared connections", func(t *testing.T) { Driver(t, Sharing(target)) })
	t.Run("observer", func(t *testing.T) { Observer(t, target, cluster) })
	t.Run("usage", func(t *testing.T) { tellsItsData(t, target) })
	t.Run("batches", func(t *testing.T) { Batches(t, target) })
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
	t.Run("recovery, shared connections", func(t *testing.T) { Recovery(t, Sharing(target), cluster) })
}

// tellsItsData shows that each member knows what its data take, and that they grow.
func tellsItsData(t *testing.T, target Target) {
	observer := observe(t, target)
	defer observer.Close()
	sizes := func() (sizes []int64) {
		for i, used := range observer.(stores.Meter).Usage(t.Context(), opTimeout) {
			if used.Member != target.Config.Names[i] || used.DataBytes == nil {
				t.Fatalf("%+v", used)
			}
			sizes = append(sizes, *used.DataBytes)
		}
		if len(sizes) != len(target.Config.Names) {
			t.Fatalf("%d of %d members tell", len(sizes), len(target.Config.Names))
		}
		return sizes
	}
	settle(t, observer, "all healthy", allHealthy)
	before := sizes()
	_, session := open(t, target)
	value := make([]byte, 1<<20)
	do(t, session, stores.Op{Kind: stores.Insert, Table: "usage", Key: []byte("k"), Values: []stores.Field{{Name: "field0", Value: value}}})
	deadline := time.Now().Add(settleTimeout)
	for grown := 0; grown < len(before); { // a standby is a moment behind
		grown = 0
		for i, size := range sizes() {
			if size > before[i] {
				grown++
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v bytes became %v", before, sizes())
		}
	}
}

// postgresqlServers are a primary, and standbys of it.
type postgresqlServers struct {
	servers
	folders []string
}

// startPostgresql starts servers whose commits wait for a quorum of the standbys, if there are
// any: those of the asynchronous modes say so of their own. With secrets they ask for them.
func startPostgresql(t testing.TB, n int, held *secrets) (Target, *postgresqlServers) {
	t.Helper()
	entry, ok := catalog.Find("postgresql")
	if !ok {
		t.Fatal("postgresql is not in the catalog")
	}
	cluster := &postgresqlServers{servers: servers{config: stores.Config{Addresses: FreePorts(t, n), Timeout: opTimeout, Credentials: held.credentials(t, nil)}}}
	target := Target{Entry: entry, Config: cluster.config}
	parent := t.TempDir()
	var quorum []string
	for i := range n {
		cluster.config.Names = append(cluster.config.Names, fmt.Sprintf("postgresql-%d", i))
		cluster.folders = append(cluster.folders, filepath.Join(parent, cluster.config.Names[i]))
		if i > 0 {
			quorum = append(quorum, fmt.Sprintf("%q", cluster.config.Names[i]))
		}
	}
	target.Config.Names = cluster.config.Names
	secured := securePostgresql(t, held)
	postgresqlTool(t, "initdb", append(secured.initdb, "--pgdata="+cluster.folders[0], "--username=postgres",
		"--encoding=UTF8", "--locale=C", "--data-checksums", "--no-sync")...)
	for i, name := range cluster.config.Names {
		host, port, err := net.SplitHostPort(cluster.config.Addresses[i])
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"-D", cluster.folders[i], "-c", "listen_addresses=" + host, "-c", "port=" + port, "-c", "unix_socket_directories=",
			"-c", "fsync=off", "-c", "wal_keep_size=128MB", "-c", "wal_retrieve_retry_interval=100ms"}
		args = append(args, secured.server...)
		if i == 0 {
			if len(quorum) > 0 {
				args = append(args, "-c", fmt.Sprintf("synchronous_standby_names=ANY %d (%s)", n/2, strings.Join(quorum, ", ")))
			}
		} else {
			address := primaryAt(t, cluster.config.Addresses[0]) + secured.standby
			postgresqlTool(t, "pg_basebackup", "--pgdata="+cluster.folders[i], "--dbname="+address, "--checkpoint=fast", "--no-sync")
			if err := os.WriteFile(filepath.Join(cluster.folders[i], "standby.signal"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, "-c", "primary_conninfo="+address+" application_name="+name)
		}
		member := &Process{Command: func() *exec.Cmd { return asNobody(t, "postgres", args...) }}
		cluster.members = append(cluster.members, member)
		member.Start(t)
		t.Cleanup(func() { member.End(t, name) })
		if i == 0 {
			cluster.await(t, target)
		}
	}
	return target, cluster
}

func primaryAt(t testing.TB, address string) string {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return "host=" + host + " port=" + port + " user=postgres"
}

// asNobody runs a program as a container does, with files of ours: PostgreSQL refuses to be root,
// and its processes are to end with the first one.
func asNobody(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	const nobody = 65534
	command := exec.Command(Binary(t, name), args...)
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getegid(), Size: 1}},
	}
	return command
}

func postgresqlTool(t testing.TB, name string, args ...string) {
	t.Helper()
	if said, err := asNobody(t, name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, said)
	}
}

func BenchmarkPostgresql(b *testing.B) {
	target, _ := startPostgresql(b, 1, nil)
	for i := range target.Entry.Modes {
		target.Config.Mode = target.Entry.Modes[i].Name
		b.Run(target.Config.Mode, func(b *testing.B) { benchmark(b, target) })
	}
}
