package results

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/live"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/stores"
)

// binRows are bins rows of so many whole seconds, 10 operations in each bin, and one bin of the second that follows.
func binRows(seconds int64) []byte {
	file := bundle.AppendBinsHeader(nil, 1)
	for index := range seconds*100 + 1 {
		bin := bundle.NewBin(index)
		bin.Intended, bin.Completed, bin.FirstCompleteMicros, bin.LastCompleteMicros = 11, 10, 1, 2
		file = bundle.AppendBins(file, []bundle.Bin{bin})
	}
	return file
}

func sendAll(t *testing.T, c *client.Client, name string, content []byte) {
	t.Helper()
	for offset := 0; offset < len(content); {
		length, err := c.Append(context.Background(), runUID, name, int64(offset), content[offset:min(len(content), offset+1<<20)])
		must(t, err)
		offset = int(length)
	}
}

func TestTheLiveViewIsOfWhatWorkersAndTheObserverSend(t *testing.T) {
	clock := &hands{now: time.Unix(1_700_000_000, 0)}
	h := registered(t, func(config *Config) { config.Now = clock.Now })
	controller := h.as("controller")
	see := func() wire.Live {
		t.Helper()
		live, err := h.as("reader").Live(t.Context(), runUID)
		must(t, err)
		return live
	}
	if live := see(); !reflect.DeepEqual(live, wire.Live{}) {
		t.Errorf("before the start: %+v", live)
	}
	line, err := json.Marshal(bundle.TopologyLine{AtUnixNanos: clock.Now().UnixNano(), Term: 7, Members: []stores.MemberState{{Name: "m", Role: stores.MemberLeader, Healthy: true}}})
	must(t, err)
	sendAll(t, controller, observer.File(bundle.Jsonl), append(line, '\n'))
	clock.add(time.Second)
	want := wire.Live{Term: 7, Members: []wire.LiveMember{{Name: "m", Role: "leader", Up: true}}, MembersAgeMillis: 1000}
	if live := see(); !reflect.DeepEqual(live, want) {
		t.Errorf("before the start: %+v, want %+v", live, want)
	}
	_, err = controller.StartIn(t.Context(), runUID, "a", time.Second)
	must(t, err)
	clock.add(12 * time.Second)
	for i := range 2 {
		w := bundle.Writer{Role: bundle.RoleWorker, Workload: "a", Index: i, PodUID: podUID}
		sendAll(t, controller, w.File(bundle.Bins), binRows(10))
	}
	want.Workload, want.ElapsedSeconds, want.AgeMillis, want.MembersAgeMillis = "a", 4, 1000, 13_000 // it warms up for 5 s
	want.Intended, want.Throughput, want.Recent = 2200, 2000, []int64{2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000}
	if live := see(); !reflect.DeepEqual(live, want) {
		t.Errorf("got %+v, want %+v", live, want)
	}
	for i := range 2 {
		w := bundle.Writer{Role: bundle.RoleWorker, Workload: "a", Index: i, PodUID: podUID}
		have, all := len(binRows(10)), binRows(11)
		_, err = controller.Append(t.Context(), runUID, w.File(bundle.Bins), int64(have), all[have:])
		must(t, err)
	}
	clock.add(glanceFor - time.Millisecond)
	want.AgeMillis, want.MembersAgeMillis = 1899, 13_899
	if live := see(); !reflect.DeepEqual(live, want) {
		t.Errorf("the files were not to be read again: got %+v, want %+v", live, want)
	}
	clock.add(time.Millisecond)
	if live := see(); live.ElapsedSeconds != 5 || live.AgeMillis != 900 {
		t.Errorf("the files were to be read again: %+v", live)
	}
}

func TestAllWhoLookAtOneTimeShareOneLook(t *testing.T) {
	var g glance
	clock := &hands{now: time.Unix(1_700_000_000, 0)}
	held, looks, view := make(chan struct{}), atomic.Int64{}, &live.View{}
	look := func() (*live.View, error) {
		looks.Add(1)
		<-held
		return view, nil
	}
	var viewers sync.WaitGroup
	for range 20 {
		viewers.Go(func() {
			if seen, err := g.see(context.Background(), clock.Now, look); err != nil || seen != view {
				t.Errorf("%v, %v", seen, err)
			}
		})
	}
	close(held)
	viewers.Wait()
	if n := looks.Load(); n != 1 {
		t.Errorf("%d looks", n)
	}
}

func TestALookThatFailsIsNotKept(t *testing.T) {
	var g glance
	clock := &hands{now: time.Unix(1_700_000_000, 0)}
	broken := errors.New("input/output error")
	if _, err := g.see(t.Context(), clock.Now, func() (*live.View, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	want := &live.View{}
	for range 2 {
		if view, err := g.see(t.Context(), clock.Now, func() (*live.View, error) { return want, nil }); err != nil || view != want {
			t.Errorf("%v, %v", view, err)
		}
	}
}

// The look is in no request's goroutine, so its panic would end the server.
func TestALookThatPanicsIsAnError(t *testing.T) {
	var g glance
	clock := &hands{now: time.Unix(1_700_000_000, 0)}
	if view, err := g.see(t.Context(), clock.Now, func() (*live.View, error) { panic("hostile") }); err == nil || view != nil {
		t.Errorf("%v, %v", view, err)
	}
}

func TestWhoeverGoesDoesNotWaitForTheLook(t *testing.T) {
	var g glance
	clock := &hands{now: time.Unix(1_700_000_000, 0)}
	held := make(chan struct{})
	defer close(held)
	ctx, leave := context.WithCancel(t.Context())
	look := func() (*live.View, error) {
		leave()
		<-held
		return &live.View{}, nil
	}
	if _, err := g.see(ctx, clock.Now, look); !errors.Is(err, errBusy) {
		t.Errorf("%v", err)
	}
}

func TestATailBeginsWithALine(t *testing.T) {
	path := t.TempDir() + "/file"
	must(t, os.WriteFile(path, []byte("first\nsecond\nthi"), 0o600))
	for most, want := range map[int64]string{100: "first\nsecond\nthi", 16: "first\nsecond\nthi", 15: "second\nthi", 10: "thi", 3: ""} {
		tail, err := readTail(path, most)
		must(t, err)
		if !bytes.Equal(tail.Text, []byte(want)) || tail.Cut != (most < 16) {
			t.Errorf("%d bytes: %q, cut %t; want %q", most, tail.Text, tail.Cut, want)
		}
	}
}
