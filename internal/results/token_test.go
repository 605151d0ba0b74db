package results

import (
	"encoding/pem"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/ship"
	"github.com/kvbench/kvbench/internal/results/client"
)

// expiring is a harness whose clock can be put forward, beyond what it remembers of tokens,
// and a worker's client that has its token in a file, as the kubelet puts it there.
func expiring(t *testing.T) (h *harness, worker *client.Client, token string, later func()) {
	t.Helper()
	var ahead atomic.Int64
	h = registered(t, func(c *Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	token = filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(token, []byte("worker\n"), 0o600))
	worker, err := client.New(client.Config{
		URL: h.web.URL, Token: client.TokenFile(token),
		CA: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.web.Certificate().Raw}),
	})
	must(t, err)
	return h, worker, token, func() { ahead.Add(int64(2 * reviewTTL)) }
}

// expire makes a token nobody's, and another one its owner's.
func (f *fakeReviewer) expire(old, fresh string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.who[fresh] = f.who[old]
	delete(f.who, old)
}

func TestATokenThatRunsOutLosesNothing(t *testing.T) {
	h, worker, token, later := expiring(t)
	must(t, worker.Claim(t.Context(), runUID, writerA0))
	content := wholeOf(1000)
	file := written(t, content)
	shipper := ship.New(worker, runUID, t.Logf, file)
	must(t, shipper.Flush(t.Context()))

	// It runs out, and the kubelet is late.
	h.reviewer.expire("worker", "renewed")
	later()
	_, err := file.Write([]byte(content))
	must(t, err)
	for range 2 {
		err := shipper.Flush(t.Context())
		expect(t, "with the old token", err, client.ErrUnauthenticated)
		if !client.Transient(err) {
			t.Errorf("%v is not tried again", err)
		}
	}
	must(t, os.WriteFile(token, []byte("renewed\n"), 0o600))
	must(t, shipper.Finish(t.Context()))
	if got := string(h.onDisk(fileA0)); got != content+content {
		t.Errorf("%d bytes on the disk differ from the %d that were sent", len(got), 2*len(content))
	}
}

func TestAWorkerHearsOfTheStartWithItsNextToken(t *testing.T) {
	h, worker, token, later := expiring(t)
	h.reviewer.expire("worker", "renewed")
	later()
	type heard struct {
		start bundle.Start
		err   error
	}
	answers := make(chan heard, 1)
	refused := h.reviewer.asked.Load()
	go func() {
		start, err := worker.AwaitStart(t.Context(), runUID, "a")
		answers <- heard{start, err}
	}()
	for h.reviewer.asked.Load() == refused {
		time.Sleep(time.Millisecond) // until it has been refused
	}
	posted, err := h.as("controller").StartIn(t.Context(), runUID, "a", 3*time.Second)
	must(t, err)
	must(t, os.WriteFile(token, []byte("renewed\n"), 0o600))
	got := <-answers
	must(t, got.err)
	if got.start != posted {
		t.Errorf("it heard of %v, and the start is %v", got.start, posted)
	}
}
