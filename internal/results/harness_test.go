package results

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/callers"
	"github.com/kvbench/kvbench/internal/results/client"
)

const (
	runUID   = "11111111-1111-4111-8111-111111111111"
	otherUID = "22222222-2222-4222-8222-222222222222"
	podUID   = "aaaaaaaa-0000-4000-8000-000000000001"
	pod2UID  = "aaaaaaaa-0000-4000-8000-000000000002"
	obsUID   = "aaaaaaaa-0000-4000-8000-000000000003"
)

var (
	writerA0 = bundle.Writer{Role: bundle.RoleWorker, Workload: "a", Index: 0, PodUID: podUID}
	fileA0   = writerA0.File(bundle.Hlog)
	observer = bundle.Writer{Role: bundle.RoleObserver, PodUID: obsUID}
	kubelets = bundle.Writer{Role: bundle.RoleKubelet, PodUID: podUID}
)

// fakeReviewer knows tokens by heart.
type fakeReviewer struct {
	mu    sync.Mutex
	who   map[string]callers.Identity
	asked atomic.Int64
	down  atomic.Bool
}

func (f *fakeReviewer) Review(_ context.Context, token string) (callers.Identity, bool, error) {
	f.asked.Add(1)
	if f.down.Load() {
		return callers.Identity{}, false, errors.New("connection refused")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	who, ok := f.who[token]
	return who, ok, nil
}

// fakeAuthorizer lets the users of teams do what it says, in their own namespace.
type fakeAuthorizer struct {
	may   sync.Map // of a verb and a resource, such as "get benchmarkruns"
	asked atomic.Int64
	down  atomic.Bool
}

func (f *fakeAuthorizer) Allowed(_ context.Context, who callers.Identity, what callers.Permission) (bool, error) {
	f.asked.Add(1)
	if f.down.Load() {
		return false, errors.New("connection refused")
	}
	_, may := f.may.Load(what.Verb + " " + what.Resource)
	return may && what.Namespace != "" && who.Username == "system:serviceaccount:"+what.Namespace+":kvbench-user", nil
}

func pod(namespace, name, uid string) callers.Identity {
	return callers.Identity{Username: "system:serviceaccount:" + namespace + ":default", PodName: name, PodUID: uid}
}

func tokens() map[string]callers.Identity {
	return map[string]callers.Identity{
		"controller":      {Username: "system:serviceaccount:kvbench-system:kvbench-controller"},
		"reader":          {Username: "system:serviceaccount:kvbench-system:kvbench-reader"},
		"user":            {Username: "system:serviceaccount:team:kvbench-user"},
		"rival":           {Username: "system:serviceaccount:rivals:kvbench-user"},
		"stranger":        {Username: "system:serviceaccount:team:default"},
		"worker":          pod("team", "demo-1a2b-measure-a-0-x7k2p", podUID),
		"second":          pod("team", "demo-1a2b-measure-a-0-q9w8e", pod2UID),
		"loader":          pod("team", "demo-1a2b-load-a-0-x7k2p", podUID),
		"observer":        pod("team", "demo-1a2b-observer-5d8f7c9b6-abcde", obsUID),
		"other-namespace": pod("rivals", "demo-1a2b-measure-a-0-x7k2p", podUID),
		"other-run":       pod("team", "demo-9z9z-measure-a-0-x7k2p", podUID),
		"store":           pod("team", "demo-1a2b-0", podUID),
	}
}

// harness is a server that can be killed and started again at the same address.
type harness struct {
	mu       sync.Mutex // guards clients
	clients  []*client.Client
	t        *testing.T
	config   Config
	reviewer *fakeReviewer
	grants   *fakeAuthorizer
	server   *Server
	handler  atomic.Pointer[Server]
	web      *httptest.Server
}

func newHarness(t *testing.T, change ...func(*Config)) *harness {
	t.Helper()
	h := &harness{t: t, reviewer: &fakeReviewer{who: tokens()}, grants: &fakeAuthorizer{}}
	h.config = Config{
		Data:   t.TempDir(),
		Limits: DefaultLimits(),
		Policy: callers.Policy{
			Controllers: []string{"system:serviceaccount:kvbench-system:kvbench-controller"},
			Readers:     []string{"system:serviceaccount:kvbench-system:kvbench-reader"},
		},
		Reviewer: h.reviewer, Authorizer: h.grants,
		Report: inProcess(listingReport),
		Now:    time.Now,
		Log:    slog.New(slog.DiscardHandler),
		Free:   func() (uint64, error) { return 1 << 40, nil },
	}
	for _, c := range change {
		c(&h.config)
	}
	h.start()
	h.web = httptest.NewUnstartedServer(nil)
	h.web.Config = HTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.handler.Load().ServeHTTP(w, r)
	}), h.config.Limits, nil, h.config.Log)
	h.web.StartTLS()
	t.Cleanup(func() {
		h.server.Release()
		h.web.Close()
		if err := h.server.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *harness) start() {
	h.t.Helper()
	server, err := New(h.config)
	if err != nil {
		h.t.Fatal(err)
	}
	h.server = server
	h.handler.Store(server)
}

// restart is what a kill does: nothing is said to the old server but that the kernel
// takes its lock away.
func (h *harness) restart() {
	h.t.Helper()
	h.web.CloseClientConnections()
	// A connection that the server has just closed would fail the next request, which is
	// not what the tests of a restart are about.
	h.mu.Lock()
	for _, c := range h.clients {
		c.Close()
	}
	h.mu.Unlock()
	if err := h.server.registry.lock.Close(); err != nil {
		h.t.Fatal(err)
	}
	h.start()
}

func (h *harness) as(token string) *client.Client {
	h.t.Helper()
	c, err := client.New(client.Config{
		URL:   h.web.URL,
		CA:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.web.Certificate().Raw}),
		Token: func() (string, error) { return token, nil },
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clients = append(h.clients, c)
	return c
}

// registered is a harness that knows the run.
func registered(t *testing.T, change ...func(*Config)) *harness {
	t.Helper()
	h := newHarness(t, change...)
	must(t, h.as("controller").Register(t.Context(), runUID, planOf(runUID)))
	return h
}

func planOf(uid string) []byte {
	p := plan.Plan{Format: plan.Format, Seed: 1,
		Run: plan.Run{Namespace: "team", Name: "demo", UID: uid, ID: "demo-1a2b"},
		Workloads: []plan.Workload{
			{Name: "a", Load: plan.Load{Workers: 2, WarmupMillis: 5000}},
			{Name: "b", Load: plan.Load{Workers: 1}},
		}}
	document, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return document
}

// inProcess is a merge without a process of its own.
func inProcess(report func(fs.FS) (document, markdown []byte, err error)) MergeFunc {
	return func(_ context.Context, folder string, keep func(string, io.Reader) error) error {
		document, markdown, err := report(os.DirFS(folder))
		if err != nil {
			return &BadBundle{Cause: err.Error()}
		}
		return errors.Join(keep(bundle.MarkdownFile, bytes.NewReader(markdown)), keep(bundle.ReportFile, bytes.NewReader(document)))
	}
}

// listingReport is a report that shows which bytes it saw.
func listingReport(files fs.FS) (document, markdown []byte, err error) {
	seen := map[string]int64{}
	err = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			seen[path] = info.Size()
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	document, err = json.Marshal(seen)
	return document, []byte("# report\n"), err
}

func (h *harness) onDisk(name string) []byte {
	h.t.Helper()
	content, err := os.ReadFile(filepath.Join(h.config.Data, runsFolder, runUID, name))
	if err != nil {
		h.t.Fatal(err)
	}
	return content
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// expect compares an error with the kind that is wanted; nil wants success.
func expect(t *testing.T, what string, err, want error) {
	t.Helper()
	matches := errors.Is(err, want)
	var status statusError
	if errors.As(want, &status) {
		matches = status.matches(err)
	}
	if !matches {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func endOf(content string) bundle.End {
	digest := sha256.Sum256([]byte(content))
	return bundle.End{Length: int64(len(content)), SHA256: hex.EncodeToString(digest[:])}
}

// statusError is a refusal of this status, for expect.
type statusError int

func (s statusError) Error() string { return "status " + strconv.Itoa(int(s)) }

func (s statusError) matches(err error) bool {
	var refused *client.Error
	return errors.As(err, &refused) && refused.Status == int(s)
}
