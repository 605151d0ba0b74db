//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
)

// What others take of the cores for a while can't be measured with: the machine's host, where it is a
// virtual one, and processes that are neither the cluster's nor these tests' nor the kernel's own, for
// those also work for what is tested. From these on it can be why a run isn't valid: a report allows a
// generator that is stopped for 150 ms, and 1 % of all to be sent more than 10 ms late; who takes 1 % of a
// core's time can be in the way of 1 % of what is sent from it. Whether it was isn't known: it is only
// measured anew.
const (
	takenAtOnce = 150 * time.Millisecond // of one core
	takenInRun  = 0.01                   // of one core
)

// It is calm again when for so long neither was seen; that is waited for, but not for ever, nor again and
// again on a machine that never is.
const (
	calmFor     = 15 * time.Second
	calmTimeout = 3 * time.Minute
	calmBudget  = 6 * time.Minute // of a suite
)

// machine is the one that the cluster is on; nil where it isn't this one.
var machine *witness

// witness follows in every second how much of this machine's cores others took.
type witness struct {
	mu      sync.Mutex
	seconds []cores
	// waited is how long it was waited for calm.
	waited time.Duration
}

// watchMachine starts a witness until the suite is over, if the cluster's nodes are this machine.
func watchMachine(ctx context.Context) *witness {
	GinkgoHelper()
	here, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	Expect(err).NotTo(HaveOccurred())
	all := &corev1.NodeList{}
	Expect(k8s.List(ctx, all)).To(Succeed())
	for i := range all.Items {
		if all.Items[i].Status.NodeInfo.BootID != strings.TrimSpace(string(here)) {
			return nil
		}
	}
	w := &witness{}
	watching, stop := context.WithCancel(context.Background())
	DeferCleanup(stop)
	go w.watch(watching)
	return w
}

func (w *witness) watch(ctx context.Context) {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	clock := &coreClock{}
	last, read := clock.read()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		now, ok := clock.read()
		if ok && read {
			w.mu.Lock()
			w.seconds = append(w.seconds, now.minus(last))
			w.mu.Unlock()
		}
		last, read = now, ok
	}
}

// between is what was taken from one time to another, whole seconds of it.
func (w *witness) between(from, to time.Time) taken {
	if w == nil {
		return taken{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	byTime := func(s cores, t time.Time) int { return s.at.Compare(t) }
	first, _ := slices.BinarySearchFunc(w.seconds, from, byTime)
	end, _ := slices.BinarySearchFunc(w.seconds, to.Add(time.Second), byTime)
	return takenOf(w.seconds[first:max(first, end)])
}

// since is what was taken from a time until now.
func (w *witness) since(from time.Time) taken { return w.between(from, time.Now()) }

// awaitCalm returns once others leave the cores alone, or didn't for long.
func (w *witness) awaitCalm(ctx context.Context) {
	begun := time.Now()
	defer func() { w.waited += time.Since(begun) }()
	ctx, cancel := context.WithTimeout(ctx, min(calmTimeout, calmBudget-w.waited))
	defer cancel()
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for w.since(time.Now().Add(-calmFor)).disturbing() {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// taken is what others took.
type taken struct {
	hostKnown, othersKnown bool
	// In a second, at most.
	host, others time.Duration
	// In two seconds that follow each other, at most, both together: one theft may be in both.
	pair time.Duration
	// Of all seconds.
	allOthers time.Duration
	share     float64 // of all cores, of both together
}

func takenOf(seconds []cores) taken {
	t := taken{hostKnown: len(seconds) > 0, othersKnown: len(seconds) > 0}
	var host, others, all, before time.Duration
	for _, s := range seconds {
		t.othersKnown = t.othersKnown && s.oursKnown
		t.host, t.others = max(t.host, s.host), max(t.others, s.others())
		both := s.host + max(0, s.others())
		t.pair = max(t.pair, before+both)
		before = both
		host, others, all = host+s.host, others+s.others(), all+s.all
	}
	// The clocks differ by some ticks, in one second to this side and in the next to the other.
	t.allOthers = max(0, others)
	t.share = float64(host+t.allOthers) / float64(max(1, all))
	return t
}

func (t taken) disturbing() bool {
	return t.pair >= takenAtOnce || t.share*float64(runtime.NumCPU()) >= takenInRun
}

func (t taken) String() string {
	if !t.hostKnown {
		return "what others took of the machine's cores isn't known"
	}
	others := "what other processes took isn't known"
	if t.othersKnown {
		others = fmt.Sprintf("other processes %s", t.others.Round(time.Millisecond))
	}
	return fmt.Sprintf("in a second the machine's host took %s of its cores at most, and %s; %s in two together; in all %.1f %% of them",
		t.host, others, t.pair.Round(time.Millisecond), 100*t.share)
}
