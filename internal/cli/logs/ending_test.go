package logs

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/env"
	clifollow "github.com/kvbench/kvbench/internal/cli/follow"
	"github.com/kvbench/kvbench/internal/cli/output"
)

// atLooks calls then at each look that finds the run over, or not over, with how many there were.
func (s *scene) atLooks(over bool, then func(count int)) {
	count := 0
	s.k = interceptor.NewClient(s.k, interceptor.Funcs{
		Get: func(ctx context.Context, k client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			err := k.Get(ctx, key, o, opts...)
			if run, is := o.(*v1alpha1.BenchmarkRun); is && ctx != context.Background() && clifollow.Ended(run) == over {
				count++
				then(count)
			}
			return err
		},
	})
}

// bounded ends a test that would go on for ever.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// A run's pods are gone before it is complete, and what they wrote last may come after that.
func TestFollowingWaitsForTheLogsOfPodsThatAreGone(t *testing.T) {
	s := newScene(t)
	pod := s.pod("0", "store", true)
	from, to := io.Pipe()
	s.atLooks(true, func(count int) { // it is slower to say all than a log may be silent
		if count <= mostSilent+5 && count%5 == 0 {
			_, _ = to.Write([]byte(stamp(count) + " late\n"))
		}
		if count == mostSilent+8 {
			_ = to.Close()
		}
	})
	v := s.view("members")
	v.open = func(ctx context.Context, _ container, _ corev1.PodLogOptions) (io.ReadCloser, error) {
		context.AfterFunc(ctx, func() { _ = to.Close() })
		if err := s.k.Delete(context.Background(), pod.DeepCopy()); err != nil {
			t.Error(err)
		}
		s.finish()
		return from, nil
	}
	if err := v.follow(bounded(t)); err != nil {
		t.Error(err)
	}
	if got := s.said(); strings.Count(got, "member etcd-0 late") != 3 || s.err.Len() > 0 {
		t.Errorf("got %q; complaints: %s", got, s.err.String())
	}
}

func TestFollowingDoesNotWaitForDeadNodesForEver(t *testing.T) {
	s := newScene(t)
	pod := s.pod("0", "store", true, stamp(1)+" a\n...") // no end of it comes
	s.then = func(string, int) {
		if err := s.k.Delete(context.Background(), pod.DeepCopy()); err != nil {
			t.Error(err)
		}
		s.finish()
	}
	looks := 0
	s.atLooks(true, func(count int) { looks = count })
	if err := s.view("members").follow(bounded(t)); err != nil {
		t.Error(err)
	}
	if got := s.err.String(); s.said() != "member etcd-0 a" || looks < mostSilent || strings.Count(got, "The log of member etcd-0") != 1 || !strings.Contains(got, "no longer waited for") {
		t.Errorf("got %q after %d looks; complaints: %s", s.said(), looks, got)
	}
}

// Events that a slow terminal keeps waiting are not lost.
func TestFollowingGoesOnWhileEventsCome(t *testing.T) {
	s := newScene(t)
	f := &follower{view: s.view("events"), ending: true, events: make(chan event), looks: make(chan looked)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var sending sync.WaitGroup
	sending.Go(func() {
		send(ctx, f.events, event{Line{Text: "a"}, "a"})
		send(ctx, f.looks, looked{state: state{over: true}}) // the end, were it not for the event
		send(ctx, f.events, event{Line{Text: "b"}, "b"})
		send(ctx, f.looks, looked{state: state{over: true}})
		send(ctx, f.looks, looked{state: state{over: true}})
	})
	f.noEvents = true
	f.window.hold = time.Hour
	f.window.most, f.window.mostBytes = mostLines, mostBytes
	if err := f.run(bounded(t)); err != nil {
		t.Error(err)
	}
	if len(f.window.heads) != 2 {
		t.Errorf("%d events came, want both", len(f.window.heads))
	}
	cancel()
	sending.Wait()
}

func TestFollowingFailsWhereItShowedNothing(t *testing.T) {
	s := newScene(t)
	s.atLooks(false, func(count int) {
		if count == 3 {
			s.finish()
		}
	})
	v := s.view("members")
	o := options{follow: true, every: time.Millisecond, out: output.NewFlag()}
	err := o.show(bounded(t), &env.Env{Out: &s.out, Err: &s.err}, v.cluster, v.entry, v.wanted)
	if err == nil || !strings.Contains(err.Error(), "run/r has ended, and had no pod with a log of the roles members while it was followed") {
		t.Errorf("got %v", err)
	}
}

func TestFollowingFailsWhereALogCouldNotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		then string // what the log holds when it can be read; "-" is that it never can
		want string
	}{
		"never":               {"-", "1 of the logs can't be read"},
		"later, and it ends":  {"", ""},
		"later, and it stays": {stamp(1) + " a\n...", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.pod("0", "store", true)
			var opened atomic.Int32
			v := s.view("members")
			v.open = func(ctx context.Context, _ container, _ corev1.PodLogOptions) (io.ReadCloser, error) {
				if opened.Add(1) == 3 {
					s.finish()
				}
				if opened.Load() == 1 || c.then == "-" {
					return nil, errors.New("the node is away")
				}
				text, stays := strings.CutSuffix(c.then, "...")
				if !stays {
					return io.NopCloser(strings.NewReader(text)), nil
				}
				s.finish()
				return io.NopCloser(io.MultiReader(strings.NewReader(text), until{ctx, nil})), nil
			}
			if err := v.follow(bounded(t)); err != nil {
				t.Error(err)
			}
			got := ""
			if err := v.verdict(false, true); err != nil {
				got = err.Error()
			}
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestEventsThatMayNotBeWatchedAreToldOnce(t *testing.T) {
	s := newScene(t)
	asked := atomic.Int32{}
	s.core.PrependWatchReactor("events", func(clienttesting.Action) (bool, apiwatch.Interface, error) {
		asked.Add(1)
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "", errors.New("not yours"))
	})
	s.atLooks(false, func(count int) {
		if count == 20 {
			s.finish()
		}
	})
	if err := s.view("events").follow(bounded(t)); err != nil {
		t.Error(err)
	}
	if got := s.err.String(); asked.Load() != 1 || strings.Count(got, "\n") != 1 || !strings.Contains(got, "New events are left out: ") {
		t.Errorf("asked %d times, said %q", asked.Load(), got)
	}
}

// A terminal that takes nothing for a while doesn't bring two looks together.
func TestLooksAreApartHoweverLongOneWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		f := &follower{view: s.view("members"), looks: make(chan looked)}
		f.every = time.Second
		ctx, cancel := context.WithCancel(t.Context())
		f.readers.Go(func() { f.lookAround(ctx) })
		<-f.looks
		time.Sleep(5500 * time.Millisecond) // of the bubble's clock
		<-f.looks
		taken := time.Now()
		<-f.looks
		if apart := time.Since(taken); apart < f.every {
			t.Errorf("the next look came after %s", apart)
		}
		cancel()
		f.readers.Wait()
	})
}
