//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
)

// What others take of the cores for a while can't be measured with: the machine's host, where it is a
// virtual one, and processes that are neither the cluster's nor these tests'. From these on it can be
// why a run isn't valid: a report allows a single lag of a quarter of a second, and 1 % of all to be
// above 10 ms.
const (
	takenInSecond = 250 * time.Millisecond // of one core
	takenInRun    = 0.02                   // of all cores
)

// It is calm again when for so long neither was seen; that is waited for, but not for ever.
const (
	calmFor     = 15 * time.Second
	calmTimeout = 3 * time.Minute
)

// machine is the one that the cluster is on; nil where it isn't this one.
var machine *witness

// witness follows in every second how much of this machine's cores others took.
type witness struct {
	mu      sync.Mutex
	seconds []cores
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
	last := coreTime()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		now := coreTime()
		w.mu.Lock()
		w.seconds = append(w.seconds, cores{
			at: now.at, all: now.all - last.all, host: now.host - last.host, busy: now.busy - last.busy,
			ours: now.ours - last.ours, known: now.known && last.known,
		})
		w.mu.Unlock()
		last = now
	}
}

// since is what was taken from a time until now.
func (w *witness) since(from time.Time) taken {
	if w == nil {
		return taken{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	first, _ := slices.BinarySearchFunc(w.seconds, from, func(s cores, t time.Time) int { return s.at.Compare(t) })
	t := taken{known: true}
	var took, all time.Duration
	for _, s := range w.seconds[first:] {
		took, all = took+s.host+s.others(), all+s.all
		if s.host+s.others() > t.host+t.others {
			t.host, t.others = s.host, s.others()
		}
	}
	t.mean = float64(took) / float64(max(1, all))
	return t
}

// awaitCalm returns once others leave the cores alone, or didn't for long.
func (w *witness) awaitCalm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, calmTimeout)
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
	known        bool
	host, others time.Duration // of the worst second
	mean         float64       // the share of all cores
}

func (t taken) disturbing() bool { return t.host+t.others >= takenInSecond || t.mean >= takenInRun }

func (t taken) String() string {
	if !t.known {
		return "what others took of the machine's cores isn't known"
	}
	return fmt.Sprintf("in the worst second others took %s of the machine's cores, and its host %s; in all %.1f %% of them",
		t.others.Round(time.Millisecond), t.host, 100*t.mean)
}
