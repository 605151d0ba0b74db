package compute_test

import (
	"archive/tar"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kvbench/kvbench/internal/loadgen"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results"
	"github.com/kvbench/kvbench/internal/results/callers"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/merging"
	"github.com/kvbench/kvbench/internal/stores/scripted"
	"github.com/kvbench/kvbench/internal/trace"
	"github.com/kvbench/kvbench/internal/workload"
)

const (
	runUID     = "11111111-1111-4111-8111-111111111111"
	controller = "system:serviceaccount:kvbench-system:kvbench-controller"
)

func podUID(n int) string { return fmt.Sprintf("22222222-2222-4222-8222-%012d", n) }

func presetA() map[string]string {
	properties, _ := workload.Preset("A")
	return properties
}

func jsonLine(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

// everyone is the controller: rights have tests of their own.
type everyone struct{}

func (everyone) Review(context.Context, string) (callers.Identity, bool, error) {
	return callers.Identity{Username: controller}, true, nil
}

// run is a run on a scripted store, with a results server of its own.
type run struct {
	plan   *plan.Plan
	store  *scripted.Store
	trace  string // that is replayed, if the plan says so
	client *client.Client
	config client.Config
}

func newRun(t *testing.T, store *scripted.Store, p *plan.Plan, change ...func(*results.Config)) *run {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	config := results.Config{
		Data:     t.TempDir(),
		Limits:   results.DefaultLimits(),
		Policy:   callers.Policy{Controllers: []string{controller}},
		Reviewer: everyone{},
		Report:   merging.InProcess,
		Now:      time.Now,
		Log:      log,
		Free:     func() (uint64, error) { return 1 << 40, nil },
	}
	for _, c := range change {
		c(&config)
	}
	server, err := results.New(config)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewUnstartedServer(nil)
	web.Config = results.HTTPServer(server, results.DefaultLimits(), nil, log)
	web.StartTLS()
	t.Cleanup(func() {
		server.Release()
		web.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &run{plan: p, store: store, config: client.Config{
		URL:   web.URL,
		CA:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}),
		Token: func() (string, error) { return "token", nil },
	}}
	if r.client, err = client.New(r.config); err != nil {
		t.Fatal(err)
	}
	if err := r.client.Register(t.Context(), runUID, jsonLine(t, p)); err != nil {
		t.Fatal(err)
	}
	return r
}

// job is the part of one worker; armed is called when it waits for the start.
func (r *run) job(t *testing.T, index, pod int, armed func()) (*loadgen.Job, error) {
	clock := loadgen.NewClock(time.Now)
	config := r.config
	config.Now = clock.Now
	server, err := client.New(config)
	if err != nil {
		return nil, err
	}
	job := &loadgen.Job{
		Plan: r.plan, Workload: &r.plan.Workloads[0], Index: index, PodUID: podUID(pod), DataDir: t.TempDir(),
		Store: r.store.Entry(), Results: server, Clock: clock, Metrics: loadgen.NewMetrics(r.plan.Store.Name, r.plan.Workloads[0].Name), Say: t.Logf, Armed: armed,
	}
	if load := &job.Workload.Load; load.Trace != nil {
		job.Trace, err = trace.Read("trace", strings.NewReader(r.trace), trace.Share{
			Worker: index, Workers: load.Workers, Stretch: load.Trace.Stretch, Warmup: time.Duration(load.WarmupMillis) * time.Millisecond,
		})
	}
	return job, err
}

func (r *run) load(t *testing.T) {
	t.Helper()
	var loaders errgroup.Group
	for index := range r.plan.Workloads[0].Load.Workers {
		job, err := r.job(t, index, 10+index, func() {})
		if err != nil {
			t.Fatal(err)
		}
		loaders.Go(func() error { return job.Load(t.Context()) })
	}
	if err := loaders.Wait(); err != nil {
		t.Fatal(err)
	}
}

// measure runs all workers to their end, and returns the start.
func (r *run) measure(t *testing.T) (start time.Time) {
	t.Helper()
	var workers errgroup.Group
	armed := make(chan struct{})
	n := r.plan.Workloads[0].Load.Workers
	for index := range n {
		job, err := r.job(t, index, index, func() { armed <- struct{}{} })
		if err != nil {
			t.Fatal(err)
		}
		workers.Go(func() error { return job.Measure(t.Context()) })
	}
	ended := make(chan error, 1)
	go func() { ended <- workers.Wait() }()
	for range n {
		select {
		case <-armed:
		case err := <-ended:
			t.Fatal(errors.Join(errors.New("a worker ended before its start"), err))
		}
	}
	made, err := r.client.StartIn(t.Context(), runUID, "a", 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	start = now.Add(time.Duration(made.StartUnixNanos - now.UnixNano()))
	r.store.Begin(start)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return start
}

func unpack(archive io.Reader) (fs.FS, error) {
	files := fstest.MapFS{}
	for reader := tar.NewReader(archive); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(reader)
		if err != nil {
			return nil, err
		}
		files[header.Name] = &fstest.MapFile{Data: data}
	}
}
