//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
)

// A virtual machine whose host gives its cores to others for a while measures nothing then. From
// these shares on that is so: of all cores in any second, or of what was wanted over a whole run.
const (
	stolenInSecond = 0.25
	stolenInRun    = 0.10
)

// It is calm again when for so long neither was seen; that is waited for, but not for ever.
const (
	calmFor     = 15 * time.Second
	calmTimeout = 3 * time.Minute
)

// machine is the one that the cluster is on; nil where it isn't this one.
var machine *witness

// witness follows how much of this machine's cores its host took away, which no process on it can
// see otherwise: the kernel's "steal", in every second.
type witness struct {
	mu      sync.Mutex
	seconds []stolen
}

// stolen are a second's ticks: the host's, those that anybody wanted, and all that there were.
type stolen struct {
	at                time.Time
	took, wanted, all int64
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
		w.seconds = append(w.seconds, stolen{
			at: now.at, took: now.took - last.took, wanted: now.wanted - last.wanted, all: now.all - last.all,
		})
		w.mu.Unlock()
		last = now
	}
}

// coreTime are all ticks since the machine started: proc_stat(5).
func coreTime() stolen {
	const idle, waitingForDisk, steal, guest = 3, 4, 7, 8 // the guests' time is in the users' as well
	now := stolen{at: time.Now()}
	content, err := os.ReadFile("/proc/stat")
	if err != nil {
		return now
	}
	line, _, _ := bytes.Cut(content, []byte("\n"))
	for i, field := range strings.Fields(string(line))[1:] {
		ticks, _ := strconv.ParseInt(field, 10, 64)
		if i >= guest {
			break
		}
		now.all += ticks
		if i != idle && i != waitingForDisk {
			now.wanted += ticks
		}
		if i == steal {
			now.took = ticks
		}
	}
	return now
}

// since is what was taken from a time until now.
func (w *witness) since(from time.Time) taken {
	if w == nil {
		return taken{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	first, _ := slices.BinarySearchFunc(w.seconds, from, func(s stolen, t time.Time) int { return s.at.Compare(t) })
	t := taken{known: true}
	var took, wanted int64
	for _, s := range w.seconds[first:] {
		took, wanted = took+s.took, wanted+s.wanted
		t.most = max(t.most, float64(s.took)/float64(max(1, s.all)))
	}
	t.mean = float64(took) / float64(max(1, wanted))
	return t
}

// awaitCalm returns once the host leaves the machine its cores, or didn't for long.
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

// taken are shares: of all cores in the worst second, and of what was wanted in all.
type taken struct {
	known      bool
	most, mean float64
}

func (t taken) disturbing() bool { return t.most >= stolenInSecond || t.mean >= stolenInRun }

func (t taken) String() string {
	if !t.known {
		return "what the machine's host took isn't known"
	}
	return fmt.Sprintf("the machine's host took %.0f %% of all cores in the worst second, and %.0f %% of what was wanted of them in all",
		100*t.most, 100*t.mean)
}
