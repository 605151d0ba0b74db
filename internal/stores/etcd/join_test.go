package etcd

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const myURL = "http://e-2:2380"

func TestHowAMemberStarts(t *testing.T) {
	others := []peerMember{
		{ID: 1, Name: "e-0", PeerURLs: []string{"http://e-0:2380"}, ClientURLs: []string{"http://e-0:2379"}},
		{ID: 2, Name: "e-1", PeerURLs: []string{"http://e-1:2380"}},
	}
	for name, c := range map[string]struct {
		me   *peerMember
		want start
		id   uint64
	}{
		"the cluster is being made":      {&peerMember{ID: 3, Name: "e-2", PeerURLs: []string{myURL}}, startNew, 0},
		"its data are gone":              {&peerMember{ID: 3, Name: "e-2", PeerURLs: []string{myURL}, ClientURLs: []string{"http://e-2:2379"}}, startRemove, 3},
		"it was removed":                 {nil, startAdd, 0},
		"it was added and never started": {&peerMember{ID: 4, PeerURLs: []string{myURL}}, startExisting, 0},
	} {
		members := others
		if c.me != nil {
			members = append(slices.Clone(others), *c.me)
		}
		if next, id := nextStart(members, myURL); next != c.want || id != c.id {
			t.Errorf("%s: %d of %d", name, next, id)
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
	added := `[{"id":4,"peerURLs":["` + myURL + `"]}]`
	first := `[{"id":3,"name":"e-2","peerURLs":["` + myURL + `"]}]`
	withData := t.TempDir()
	if err := os.MkdirAll(filepath.Join(withData, "member", "wal"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(withData, "member", "wal", "0-0.wal"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		command []string
		want    string // "" is that it waits
	}{
		"alone":                      {command(t.TempDir()), "new"},
		"nobody runs":                {command(t.TempDir(), nobody(t), "no-such-pod.invalid:2380"), "new"},
		"the first ones":             {command(t.TempDir(), nobody(t), peer(t, first)), "new"},
		"it was added":               {command(t.TempDir(), nobody(t), peer(t, added)), "existing"},
		"it has its data":            {command(withData, peer(t, added)), "new"},
		"one answers nothing useful": {command(t.TempDir(), peer(t, "x")), ""},
		"one has no such page":       {command(t.TempDir(), peer(t, first)+"/other"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			said := 0
			got, err := Join(ctx, c.command, func(string, ...any) { said++ })
			if c.want == "" {
				if !errors.Is(err, context.DeadlineExceeded) || said == 0 {
					t.Fatalf("%v, %v; %d lines were said", got, err, said)
				}
				return
			}
			if err != nil || got[len(got)-1] != "--initial-cluster-state="+c.want || !slices.Equal(got[:len(got)-1], c.command[:len(got)-1]) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

func TestACommandThatIsNotEtcdsIsRefused(t *testing.T) {
	if _, err := Join(t.Context(), []string{"/etcd", "--data-dir=/data"}, t.Logf); err == nil || !strings.Contains(err.Error(), "--initial-cluster-state=new") {
		t.Errorf("%v", err)
	}
}
