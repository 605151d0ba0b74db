package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/suites"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// ledger is a results server that remembers what it was asked: starts are created once.
type ledger struct {
	mu sync.Mutex
	// measureFor is how long a measurement takes, from its start.
	measureFor time.Duration
	plans      map[string][]byte
	starts     map[string]bundle.Start // by run and workload
	posts      map[string]int
	faults     map[string][]byte
	suites     map[string][]byte // manifests, by UID
	folder     string            // of a store of suites; "" before it is needed
	reports    int
	withdrawn  []string
	// refuses answers requests with an error: by what is asked for.
	refuses map[string]error
	// invalid is why the next reports are not valid.
	invalid []report.Reason
	// asked counts the requests.
	asked int
	// needed is what a suite asked for last.
	needed wire.SuiteNeed
}

// refuse answers such requests with an error from here on; nil for no longer.
func (l *ledger) refuse(what string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuses[what] = err
}

// look is the begin of each request. The caller holds mu.
func (l *ledger) look(what string) error {
	l.asked++
	return l.refuses[what]
}

func (l *ledger) requests() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

func newLedger() *ledger {
	return &ledger{measureFor: 2500 * time.Millisecond, plans: map[string][]byte{}, starts: map[string]bundle.Start{}, posts: map[string]int{}, faults: map[string][]byte{}, suites: map[string][]byte{}, refuses: map[string]error{}}
}

func (l *ledger) EstimateClock(_ context.Context, exchanges int) (bundle.Clock, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked += exchanges
	return bundle.Clock{}, nil
}

func (l *ledger) Check(context.Context, string, []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.look("check")
}

func (l *ledger) Register(_ context.Context, uid string, planJSON []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.look("register"); err != nil {
		return err
	}
	if held, ok := l.plans[uid]; ok && string(held) != string(planJSON) {
		return errors.New("another plan is registered")
	}
	l.plans[uid] = planJSON
	return nil
}

// knows says that the run was registered.
func (l *ledger) knows(run *v1alpha1.BenchmarkRun) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.plans[string(run.UID)]
	return ok
}

func (l *ledger) Withdraw(_ context.Context, uid string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.look("withdraw"); err != nil {
		return err
	}
	l.withdrawn = append(l.withdrawn, uid)
	return nil
}

func (l *ledger) hasWithdrawn(uid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.withdrawn, uid)
}

func (l *ledger) StartIn(_ context.Context, uid, workload string, _ time.Duration) (bundle.Start, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.look("start"); err != nil {
		return bundle.Start{}, err
	}
	l.posts[uid]++
	key := uid + "/" + workload
	if _, ok := l.starts[key]; !ok {
		l.starts[key] = bundle.Start{StartUnixNanos: time.Now().UnixNano()}
	}
	return l.starts[key], nil
}

func (l *ledger) started(uid, workload string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	start, ok := l.starts[uid+"/"+workload]
	return ok && time.Since(time.Unix(0, start.StartUnixNanos)) > l.measureFor
}

func (l *ledger) PutEnvironment(context.Context, string, []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.look("environment")
}

func (l *ledger) PutFaults(_ context.Context, uid string, lines []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.look("faults"); err != nil {
		return err
	}
	if held, ok := l.faults[uid]; ok && string(held) != string(lines) {
		return errors.New("the faults changed between two passes")
	}
	l.faults[uid] = lines
	return nil
}

// findInvalid sets why the next reports are not valid.
func (l *ledger) findInvalid(reasons ...report.Reason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.invalid = reasons
}

func (l *ledger) MakeReport(_ context.Context, uid string) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.look("report"); err != nil {
		return nil, err
	}
	l.reports++
	return json.Marshal(l.report(uid))
}

// report of a run, whose workloads all have the same figures: the caller holds mu.
func (l *ledger) report(uid string) *report.Report {
	r := &report.Report{Format: report.Format, Valid: len(l.invalid) == 0, InvalidReasons: l.invalid}
	registered := plan.Plan{Workloads: []plan.Workload{{Name: "a"}}}
	if held, ok := l.plans[uid]; ok {
		registered.Workloads = nil
		if err := json.Unmarshal(held, &registered); err != nil {
			panic(err)
		}
	}
	defer objective.Judge(r, registered.Objectives)
	for _, w := range registered.Workloads {
		r.Workloads = append(r.Workloads, report.Workload{
			Name: w.Name, Throughput: 990.4, Intended: 1980, Succeeded: 1980, Operations: []report.Operation{{Operation: "READ", Outcome: "ok", Count: 1980}},
		})
		if w.Load.Rate > 0 && len(registered.Objectives) > 0 { // a microsecond for each operation/s
			r.Workloads[len(r.Workloads)-1].Operations[0].ResponseTime = &report.Latency{P99Micros: int64(w.Load.Rate)}
		}
	}
	return r
}

// lastNeeded is what a suite asked for last.
func (l *ledger) lastNeeded() wire.SuiteNeed {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.needed
}

func (l *ledger) CheckSuite(_ context.Context, _ string, needed wire.SuiteNeed) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if needed.Runs < 1 || needed.Bytes < 1000 {
		return fmt.Errorf("the suite needs %+v", needed)
	}
	l.needed = needed
	return l.look("suite admission")
}

func (l *ledger) PutSuite(_ context.Context, uid string, manifest []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.look("suite"); err != nil {
		return err
	}
	l.suites[uid] = manifest
	return nil
}

// store has the suites that the ledger knows, and their baselines.
func (l *ledger) store() *suites.Store {
	if l.folder == "" {
		var err error
		l.folder, err = os.MkdirTemp("", "ledger")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, l.folder)
	}
	kept, err := suites.Open(l.folder, func(dir, name string, content io.Reader) error {
		text, err := io.ReadAll(content)
		return errors.Join(err, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}, time.Now, slog.New(slog.DiscardHandler))
	Expect(err).NotTo(HaveOccurred())
	for uid, document := range l.suites {
		Expect(kept.Put(uid, document)).To(Succeed())
	}
	return kept
}

// PinBaselines answers as the results server does.
func (l *ledger) PinBaselines(_ context.Context, uid string, ask wire.PinRequest) (wire.Pinned, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.look("baselines"); err != nil {
		return wire.Pinned{}, err
	}
	return l.store().Pin(uid, ask.Namespace, ask.Baselines)
}

// KeepBaseline keeps the figures of runs that are all alike.
func (l *ledger) KeepBaseline(_ context.Context, uid, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.look("baseline"); err != nil {
		return err
	}
	m := told(l.suites[uid])
	document, err := l.document("baseline.json", m)
	if err != nil {
		return err
	}
	made, err := findings.ReadBaseline(document)
	if err != nil {
		return err
	}
	return l.store().KeepBaseline(m.Suite.Namespace, name, made)
}

func (l *ledger) document(name string, m *manifest.Manifest) ([]byte, error) {
	pinned, err := l.store().Pinned(m.Suite.UID)
	if err != nil {
		return nil, err
	}
	return suites.Document(name, m, pinned, func(uid, prefix string) (*findings.Run, error) { return findings.RunOf(l.report(uid), prefix), nil })
}

// Adopt answers as the results server does, from the plans that were registered.
func (l *ledger) Adopt(_ context.Context, uid string, ask wire.AdoptionRequest) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.look("adoption"); err != nil {
		return nil, err
	}
	kept := l.store()
	adoption, err := kept.Adopt(told(ask.Manifest), ask.Fingerprints, ask.Seed, func(attempt *manifest.Attempt) (string, error) {
		p := &plan.Plan{}
		Expect(json.Unmarshal(l.plans[attempt.UID], p)).To(Succeed())
		return p.Part(attempt.Prefix).Fingerprint()
	})
	Expect(err).NotTo(HaveOccurred())
	m, err := kept.Manifest(uid)
	Expect(err).NotTo(HaveOccurred())
	l.suites[uid], err = json.Marshal(m)
	Expect(err).NotTo(HaveOccurred())
	return json.Marshal(adoption)
}

// GetSuite answers with the verdict, of runs that are all alike.
func (l *ledger) GetSuite(_ context.Context, uid, document string) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.look("verdict"); err != nil {
		return nil, err
	}
	return l.document(document, told(l.suites[uid]))
}

func told(document []byte) *manifest.Manifest {
	read, err := manifest.Read(document)
	Expect(err).NotTo(HaveOccurred())
	return read
}

// suiteOf is the last manifest of a suite.
func (l *ledger) suiteOf(uid string) *manifest.Manifest {
	l.mu.Lock()
	defer l.mu.Unlock()
	return told(l.suites[uid])
}

func (l *ledger) planOf(uid string) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.plans[uid]
}

func (l *ledger) faultLine(uid string) bundle.FaultLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	var line bundle.FaultLine
	Expect(json.Unmarshal(l.faults[uid], &line)).To(Succeed())
	return line
}
