package watch

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/follow"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/watch/frame"
	"github.com/kvbench/kvbench/internal/results/wire"
)

const (
	// shortSilence is for how long a server may fail to answer before that is shown.
	shortSilence = 3 * time.Second
	// longSilence is for how long a server that is asked each second may say nothing at all.
	longSilence = 2 * requestTimeout
)

// model is what watch knows: the last answer of each server, and when it came. It has no clock.
type model struct {
	now    time.Time
	uid    string // of what is watched
	object client.Object
	// rows are a suite's matrix. rowsErr says why there is none, or no newer one.
	rows    []frame.Row
	rowsErr string
	// run is the one whose steps are shown: what is watched, or the suite's run under way; nil without one.
	run *v1alpha1.BenchmarkRun

	live      *wire.Live
	events    []frame.Event
	eventsErr string

	cluster, results contact
	gone             bool // it was deleted, or another one has its name
}

// contact is with one server.
type contact struct {
	steady   bool      // it is asked each second
	answered time.Time // zero before it was asked
	trouble  string    // of the last request; "" if it was answered
	refused  bool      // trying again soon doesn't help
}

// silence is nil where it answers, and where it is a moment late.
func (c *contact) silence(now time.Time) *frame.Silence {
	trouble, since := c.trouble, now.Sub(c.answered)
	if trouble == "" && c.steady && since >= longSilence {
		trouble = "a request is under way"
	}
	if trouble == "" || c.refused || since < shortSilence {
		return nil
	}
	return &frame.Silence{Seconds: int64(since.Seconds()), Trouble: trouble}
}

func (c *contact) note(at time.Time, err error) {
	switch {
	case err == nil:
		*c = contact{steady: c.steady, answered: at}
		return
	case c.answered.IsZero():
		c.answered = at // it is silent from now on
	}
	c.trouble = err.Error()
	// What could not be reached is more than what it was to be asked for.
	var network *net.OpError
	if errors.As(err, &network) {
		c.trouble = network.Error()
	}
}

// clusterAnswer is what the API server said.
type clusterAnswer struct {
	at     time.Time
	object client.Object
	// matrix is new where renewed is true; matrixErr is why there is no new one.
	renewed   bool
	matrix    []frame.Row
	matrixErr error
	run       *v1alpha1.BenchmarkRun
	// gone says that it doesn't exist any more.
	gone bool
	err  error
}

// liveAnswer is what the results server said of a run.
type liveAnswer struct {
	at      time.Time
	uid     string
	live    *wire.Live // nil where it has nothing to tell
	err     error
	refused bool
}

// eventsAnswer are the events of a run.
type eventsAnswer struct {
	uid    string
	events []frame.Event
	err    error
}

func newModel(object client.Object, now time.Time) model {
	m := model{now: now, uid: string(object.GetUID()), object: object, cluster: contact{steady: true, answered: now}}
	m.run, _ = object.(*v1alpha1.BenchmarkRun)
	return m
}

// update is the model after a message. A time.Time is the clock's.
func (m model) update(message any) model {
	switch message := message.(type) {
	case time.Time:
		m.now = message
	case clusterAnswer:
		return m.afterCluster(message)
	case liveAnswer:
		return m.afterLive(message)
	case eventsAnswer:
		switch {
		case m.run == nil || message.uid != string(m.run.UID):
		case apierrors.IsForbidden(message.err):
			m.eventsErr = message.err.Error()
		case message.err != nil: // the API server is silent, and that is said
		default:
			m.events, m.eventsErr = message.events, ""
		}
	}
	return m
}

func (m model) afterCluster(answer clusterAnswer) model {
	m.cluster.note(answer.at, answer.err)
	switch {
	case answer.gone, answer.err == nil && string(answer.object.GetUID()) != m.uid:
		m.gone = true
		return m
	case answer.err != nil:
		return m
	}
	if answer.renewed {
		if m.rowsErr = ""; answer.matrixErr != nil {
			m.rowsErr = answer.matrixErr.Error() // the rows are those of before
		} else {
			m.rows = answer.matrix
		}
	}
	m.object = answer.object
	if m.run == nil || answer.run == nil || m.run.UID != answer.run.UID {
		m.live, m.events, m.eventsErr = nil, nil, "" // of another run
		if m.results.refused {
			m.results = contact{} // and so is the refusal
		}
	}
	m.run = answer.run
	return m
}

func (m model) afterLive(answer liveAnswer) model {
	if m.run == nil || answer.uid != string(m.run.UID) {
		return m
	}
	m.results.note(answer.at, answer.err)
	m.results.refused = answer.refused
	if answer.err != nil {
		return m
	}
	m.live = answer.live
	return m
}

// over says whether nothing more is to be seen: the run or the suite has ended.
func (m model) over() bool { return frameEnded(m.object) }

func frameEnded(object client.Object) bool {
	switch object := object.(type) {
	case *v1alpha1.BenchmarkSuite:
		return follow.SuiteEnded(object)
	case *v1alpha1.BenchmarkRun:
		return follow.Ended(object)
	}
	return false
}

// failure is why watch can't go on; nil while it can. A server that doesn't answer is no such reason: the run goes on without it.
func (m model) failure() error {
	if !m.gone || m.over() {
		return nil
	}
	return exit.With(exit.Failed, fmt.Errorf("%s was deleted before its end: kubectl kvbench list shows what is left of it", inventory.Of(m.object).Reference()))
}

// frame is what is shown at the moment.
func (m model) frame() *frame.Frame {
	entry := inventory.Of(m.object)
	f := &frame.Frame{Time: m.now, Kind: string(entry.Kind), Namespace: entry.Namespace, Name: entry.Name, UID: entry.UID, Phase: entry.Phase,
		Cluster: m.cluster.silence(m.now), Results: m.results.silence(m.now), Missing: m.missing()}
	var run *frame.Run
	if m.run != nil {
		run = frame.OfRun(m.run, frame.Aged(m.live, m.now.Sub(m.results.answered)), slices.Clone(m.events))
	}
	end := m.now
	switch object := m.object.(type) {
	case *v1alpha1.BenchmarkRun:
		f.Run = run
		if at := object.Status.CompletionTime; at != nil {
			end = at.Time
		}
	case *v1alpha1.BenchmarkSuite:
		f.Suite = frame.OfSuite(object, m.rows, run)
		if at := object.Status.CompletionTime; at != nil {
			end = at.Time
		}
	}
	f.AgeSeconds = max(0, int64(end.Sub(m.object.GetCreationTimestamp().Time).Seconds()))
	if f.Ended = m.over(); f.Ended {
		f.ExitCode, f.Verdict = follow.Verdict(m.object)
	}
	return f
}

// missing says what the frame lacks, and why.
func (m model) missing() (reasons []string) {
	if m.results.refused {
		reasons = append(reasons, "no live figures: "+m.results.trouble)
	}
	if m.eventsErr != "" {
		reasons = append(reasons, "no events: "+m.eventsErr)
	}
	switch {
	case m.rowsErr != "" && len(m.rows) > 0:
		reasons = append(reasons, "the matrix is an older one: "+m.rowsErr)
	case m.rowsErr != "":
		reasons = append(reasons, "no matrix: "+m.rowsErr)
	}
	return reasons
}
