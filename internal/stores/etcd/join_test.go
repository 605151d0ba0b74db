package etcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

const myURL = "http://localhost:2380"

func TestAMembersPlaceInACluster(t *testing.T) {
	other := func(id uint64) *pb.Member {
		return &pb.Member{ID: id, Name: "other", PeerURLs: []string{fmt.Sprintf("http://other-%d:2380", id)}}
	}
	mine := func(id uint64, name string) *pb.Member {
		return &pb.Member{ID: id, Name: name, PeerURLs: []string{myURL}}
	}
	for name, c := range map[string]struct {
		listed []*pb.Member
		added  uint64
		want   entry
		id     uint64
	}{
		"it has run":                           {[]*pb.Member{other(1), mine(3, "e-2"), other(2)}, 0, entryRemove, 3},
		"an earlier start added it":            {[]*pb.Member{other(1), mine(4, ""), other(2)}, 0, entryRemove, 4},
		"somebody else added it":               {[]*pb.Member{other(1), mine(4, ""), other(2)}, 5, entryRemove, 4},
		"it was removed":                       {[]*pb.Member{other(1), other(2)}, 0, entryAdd, 0},
		"what this start added was removed":    {[]*pb.Member{other(1), other(2)}, 4, entryAdd, 0},
		"this start added it":                  {[]*pb.Member{other(1), mine(4, ""), other(2)}, 4, entryStart, 0},
		"another one isn't taken in yet":       {[]*pb.Member{other(1), mine(4, "")}, 4, entryWait, 0},
		"another one is there twice meanwhile": {[]*pb.Member{other(1), other(2), other(5), mine(4, "")}, 4, entryWait, 0},
	} {
		if next, id := nextEntry(c.listed, myURL, c.added, 3); next != c.want || id != c.id {
			t.Errorf("%s: %d of %x", name, next, id)
		}
	}
}

// command of a member whose others are there.
func command(folder string, others ...string) []string {
	cluster := []string{"e-2=" + myURL}
	for _, other := range others {
		cluster = append(cluster, "e=http://"+other)
	}
	return []string{"/etcd", "--name=e-2", "--data-dir=" + folder, "--initial-advertise-peer-urls=" + myURL,
		"--initial-cluster=" + strings.Join(cluster, ","), "--initial-cluster-state=new"}
}

func peer(t *testing.T, answer string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/members" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func nobody(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func TestAMemberWaitsForThoseWhoMayRun(t *testing.T) {
	first := fmt.Sprintf(`[{"id":%d,"name":"e-2","peerURLs":["%s"]}]`, firstID([]string{myURL}, defaultToken), myURL)
	added := `[{"id":4,"peerURLs":["` + myURL + `"]}]`
	withData := t.TempDir()
	if err := os.MkdirAll(filepath.Join(withData, "member", "wal"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(withData, "member", "wal", "0-0.wal"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		command []string
		quiet   time.Duration
		starts  bool
	}{
		"alone":                             {command(t.TempDir()), time.Minute, true},
		"nobody runs for long enough":       {command(t.TempDir(), nobody(t)), 0, true},
		"nobody runs for a moment":          {command(t.TempDir(), nobody(t)), time.Minute, false},
		"the first ones":                    {command(t.TempDir(), nobody(t), peer(t, first)), time.Minute, true},
		"it has its data":                   {command(withData, peer(t, added)), time.Minute, true},
		"one that isn't caught up":          {command(t.TempDir(), peer(t, first), peer(t, added)), 0, false},
		"one answers nothing useful":        {command(t.TempDir(), peer(t, "x")), 0, false},
		"one of the first, and one is away": {command(t.TempDir(), peer(t, first), peer(t, "x")), 0, false},
		"one has no such page":              {command(t.TempDir(), peer(t, first)+"/other"), 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
			defer cancel()
			said := 0
			got, err := joinAfter(ctx, c.quiet, c.command, nil, func(string, ...any) { said++ })
			if !c.starts {
				if !errors.Is(err, context.DeadlineExceeded) || said == 0 {
					t.Fatalf("%v, %v; %d lines were said", got, err, said)
				}
				return
			}
			if err != nil || !slices.Equal(got, c.command) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

func TestOnlyOneQuietSpellCounts(t *testing.T) {
	for name, others := range map[string][]string{
		"a cluster is there": {peer(t, `[{"id":4,"peerURLs":["`+myURL+`"]}]`)},
		"one can't be asked": {peer(t, "x")},
	} {
		j, err := newJoin(command(t.TempDir(), others...), nil)
		if err != nil {
			t.Fatal(err)
		}
		j.aloneSince = time.Now().Add(-time.Hour)
		if _, err := j.step(t.Context(), t.Logf); err == nil || !j.aloneSince.IsZero() {
			t.Errorf("%s: %v, alone since %s", name, err, j.aloneSince)
		}
	}
}

func TestWhoHasNoAddressRunsNotIfTheMemberItselfHasOne(t *testing.T) {
	unknown := &net.DNSError{IsNotFound: true}
	for peerURL, want := range map[string]bool{myURL: true, "http://127.0.0.1:2380": true, "http://": false} {
		if got := (&join{peerURL: peerURL}).notRunning(t.Context(), unknown); got != want {
			t.Errorf("%s: %v", peerURL, got)
		}
	}
	if (&join{peerURL: myURL}).notRunning(t.Context(), &net.DNSError{IsTimeout: true}) {
		t.Error("a name server that is away was believed")
	}
}

func TestACommandThatIsNotEtcdsIsRefused(t *testing.T) {
	if _, err := Join(t.Context(), []string{"/etcd", "--data-dir=/data"}, nil, t.Logf); err == nil || !strings.Contains(err.Error(), "--initial-cluster-state=new") {
		t.Errorf("%v", err)
	}
}
