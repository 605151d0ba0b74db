package stream_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/results/stream"
)

func events(from, to int64) (all []stream.Event) {
	for id := from; id <= to; id++ {
		all = append(all, stream.Event{ID: id, Data: fmt.Appendf(nil, `{"n":%d}`, id)})
	}
	return all
}

func ids(text string) (all []string) {
	for line := range strings.Lines(text) {
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			all = append(all, strings.TrimSpace(id))
		}
	}
	return all
}

func TestWhoeverComesBackGoesOnWhereTheyWere(t *testing.T) {
	f := stream.NewFeed(4)
	f.Add(events(1, 6)...)
	f.Add(stream.Event{ID: 7, Name: "reported", Data: []byte("{}")})
	f.End()
	for after, want := range map[int64]string{0: "4 5 6 7", 5: "6 7", 7: ""} {
		var got bytes.Buffer
		if err := f.Send(t.Context(), &got, func() error { return nil }, after); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(ids(got.String()), " "); got != want {
			t.Errorf("after %d come %q, and should %q", after, got, want)
		}
	}
	var got bytes.Buffer
	if err := f.Send(t.Context(), &got, func() error { return nil }, 5); err != nil {
		t.Fatal(err)
	}
	if want := "retry: 500\n\nid: 6\ndata: {\"n\":6}\n\nid: 7\nevent: reported\ndata: {}\n\n"; got.String() != want {
		t.Errorf("sent is %q, and should be %q", got.String(), want)
	}
}

func TestAllWhoFollowGetEachEventOnce(t *testing.T) {
	f := stream.NewFeed(1000)
	var followers sync.WaitGroup
	got := make([]bytes.Buffer, 3)
	for i := range got {
		followers.Go(func() {
			if err := f.Send(t.Context(), &got[i], func() error { return nil }, 0); err != nil {
				t.Error(err)
			}
		})
	}
	for id := int64(1); id <= 500; id++ {
		f.Add(events(id, id)...)
	}
	f.End()
	followers.Wait()
	for i := range got {
		if n := len(ids(got[i].String())); n != 500 {
			t.Errorf("follower %d got %d of 500 events", i, n)
		}
	}
}

func TestAFeedLingersAfterItsLastFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feeds := stream.NewFeeds(1, time.Minute)
		defer feeds.Close()
		began, ended := 0, 0
		produce := func(ctx context.Context, f *stream.Feed) {
			began++
			f.Add(events(1, 1)...)
			<-ctx.Done()
			ended++
		}
		feed := func() *stream.Feed { return stream.NewFeed(10) }
		first, leaveFirst, ok := feeds.Open("a", feed, produce)
		second, leaveSecond, again := feeds.Open("a", feed, produce)
		if !ok || !again || first != second {
			t.Error("two followers have two feeds")
		}
		if _, _, ok := feeds.Open("b", feed, produce); ok {
			t.Error("there are more feeds than may be")
		}
		leaveFirst()
		leaveSecond()
		time.Sleep(59 * time.Second)
		back, leaveBack, _ := feeds.Open("a", feed, produce)
		time.Sleep(time.Hour)
		synctest.Wait()
		if back != first || ended != 0 {
			t.Error("the feed has ended though somebody came back")
		}
		leaveBack()
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if began != 1 || ended != 1 {
			t.Errorf("it began %d times and ended %d times", began, ended)
		}
		_, leave, _ := feeds.Open("a", feed, produce)
		leave()
		if _, leave, ok := feeds.Open("b", feed, produce); !ok {
			t.Error("a feed that nobody follows takes a place that is needed")
		} else {
			leave()
		}
		feeds.Close()
		if began != 3 || ended != 3 {
			t.Errorf("when all are closed, %d have begun and %d have ended", began, ended)
		}
	})
}
