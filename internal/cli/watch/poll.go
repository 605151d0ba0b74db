package watch

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/watch/frame"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

const (
	pollEvery   = time.Second
	eventsEvery = 5 * time.Second
	// longestPause is that between two requests to a server that doesn't answer.
	longestPause = 10 * time.Second
	// requestTimeout bounds one request, so that a server that is away holds up none of the others.
	requestTimeout = 5 * time.Second
	// maxEvents bounds the events that are read of a run.
	maxEvents = 200
)

// poller asks both servers, each at its own pace, and sends what they say.
type poller struct {
	cluster *kube.Cluster
	results asker
	key     client.ObjectKey
	send    func(message any)

	mu     sync.Mutex
	target target

	suite suitePoller
}

// asker is the results server.
type asker interface {
	Ask(ctx context.Context, path string, into any) error
}

// run asks until ctx ends.
func (p *poller) run(ctx context.Context, object client.Object) {
	if run, is := object.(*v1alpha1.BenchmarkRun); is {
		p.aim(run)
	}
	var asking sync.WaitGroup
	asking.Go(func() {
		every(ctx, pollEvery, func() error {
			answer := p.askCluster(ctx, object)
			if ctx.Err() == nil {
				p.send(answer)
			}
			return answer.err
		})
	})
	asking.Go(func() { every(ctx, pollEvery, func() error { return p.askLive(ctx) }) })
	asking.Go(func() { every(ctx, eventsEvery, func() error { return p.askEvents(ctx) }) })
	asking.Wait()
	p.suite.background.Wait()
}

// every calls do at once, and then again and again, with a pause before each. After an error the pause is longer each time.
func every(ctx context.Context, pause time.Duration, do func() error) {
	for next := pause; ; {
		next = pauseAfter(do(), next, pause)
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
	}
}

// pauseAfter is the pause after a request, whose predecessor was followed by the one before. usual is the one after an answer.
func pauseAfter(err error, before, usual time.Duration) time.Duration {
	if err == nil {
		return usual
	}
	return max(usual, min(2*before, longestPause))
}

// aim says whose live figures and events are asked for.
func (p *poller) aim(run *v1alpha1.BenchmarkRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = p.target.aimedAt(run, time.Now())
}

func (p *poller) aimed() target {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.target
}

// refuse notes that the results server refused the run. Meanwhile it may be another one's turn.
func (p *poller) refuse(uid string, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.target.uid == uid {
		p.target.refused = at
	}
}

// askCluster asks for what is watched, and for what belongs to it.
func (p *poller) askCluster(ctx context.Context, object client.Object) clusterAnswer {
	fresh := object.DeepCopyObject().(client.Object)
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := p.cluster.Get(limited, p.key, fresh)
	answer := clusterAnswer{at: time.Now(), object: fresh, gone: apierrors.IsNotFound(err), err: kube.Explain(err)}
	if err != nil {
		return answer
	}
	switch of := fresh.(type) {
	case *v1alpha1.BenchmarkRun:
		answer.run = of
	case *v1alpha1.BenchmarkSuite:
		p.suite.ask(ctx, p.cluster, of, &answer)
	}
	if answer.err == nil {
		p.aim(answer.run)
	}
	return answer
}

// askLive sends what the results server says of the run.
func (p *poller) askLive(ctx context.Context) error {
	of := p.aimed()
	if !of.due(time.Now()) {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	answer := liveAnswer{uid: of.uid, live: &wire.Live{}}
	err := p.results.Ask(limited, forward.Location(of.uid)+forward.Live, answer.live)
	answer.at = time.Now()
	unknown, refused := of.judge(err, answer.at)
	switch {
	case unknown:
		answer.live = nil
	case refused:
		answer.err, answer.refused = err, true
		p.refuse(of.uid, answer.at)
	default:
		answer.err = err
	}
	if ctx.Err() == nil {
		p.send(answer)
	}
	return answer.err
}

// askEvents sends the run's events. They are only shown, so their lack is told, and nothing more.
func (p *poller) askEvents(ctx context.Context) error {
	uid := p.aimed().uid
	if uid == "" {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	list := &corev1.EventList{}
	err := p.cluster.List(limited, list, client.InNamespace(p.key.Namespace), client.Limit(maxEvents),
		client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("involvedObject.uid", uid)})
	if ctx.Err() == nil {
		p.send(eventsAnswer{uid: uid, events: frame.EventsOf(list.Items), err: err})
	}
	return err
}
