package redis

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestTheHighestEpochNamesThePrimary(t *testing.T) {
	l := &discovery{members: []string{"a:1", "b:1"}}
	l.now.Store(&sighting{over: make(chan struct{})})
	for i, c := range []struct {
		said word
		err  error
		want string
	}{
		{word{}, errors.New("refused"), ""},
		{word{address: "stranger:1", epoch: 9}, nil, ""},
		{word{address: "a:1"}, nil, "a:1"},
		{word{address: "b:1"}, nil, "a:1"}, // in the same epoch it can't be
		{word{address: "b:1", epoch: 2}, nil, "b:1"},
		{word{address: "a:1", epoch: 1}, nil, "b:1"},
		{word{}, errors.New("gone"), "b:1"},
		{word{address: "a:1", epoch: 3}, nil, "a:1"},
	} {
		last := l.now.Load()
		l.hear(0, c.said, c.err)
		now := l.now.Load()
		if now.address != c.want {
			t.Errorf("%d: %+v: %s, want %s", i, c.said, now.address, c.want)
		}
		select {
		case <-last.over:
			if now == last {
				t.Errorf("%d: it is over, and stays", i)
			}
		default:
			if now != last {
				t.Errorf("%d: another one, and nobody is told", i)
			}
		}
	}
}

// Members without volumes, of which all end at once, begin with the first of them as the primary, in an
// epoch that was before.
func TestEpochsBeginAnewWhenAllSentinelsDo(t *testing.T) {
	first, second, third := word{address: "a:1"}, word{address: "b:1", epoch: 1}, word{address: "c:1", epoch: 1}
	l := &discovery{members: []string{"a:1", "b:1", "c:1"}}
	l.now.Store(&sighting{over: make(chan struct{})})
	for i, c := range []struct {
		sentinel int
		said     word
		want     word
	}{
		{0, first, first},
		{0, second, second},
		{1, first, second}, // it hasn't heard yet
		{1, second, second},
		{2, second, second},
		{0, first, second},  // it has begun anew,
		{0, second, second}, // and another one has told it
		{1, first, second},
		{2, first, second},
		{2, first, second},
		{0, first, first}, // the last of them
		{1, first, first},
		{2, third, third}, // a failover after it
	} {
		l.hear(c.sentinel, c.said, nil)
		if now := l.now.Load(); now.address != c.want.address || now.epoch != c.want.epoch {
			t.Errorf("%d: %+v: %s in epoch %d, want %+v", i, c.said, now.address, now.epoch, c.want)
		}
	}
}

func TestWhyThereIsNoPrimaryIsSaid(t *testing.T) {
	l := &discovery{members: []string{"a:1"}}
	l.now.Store(&sighting{over: make(chan struct{})})
	if got := l.nobody().Error(); !strings.Contains(got, "has answered") {
		t.Error(got)
	}
	l.hear(0, word{address: "10.0.0.1:1"}, nil)
	if got := l.nobody().Error(); !strings.Contains(got, "10.0.0.1:1") || !strings.Contains(got, "as the Sentinels do") {
		t.Error(got)
	}
}

func bulk(words ...string) string {
	text := "*" + strconv.Itoa(len(words)) + "\r\n"
	for _, word := range words {
		text += "$" + strconv.Itoa(len(word)) + "\r\n" + word + "\r\n"
	}
	return text
}

func TestASentinelsWordIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		answer string // to both requests
		want   word
		err    string
	}{
		"nothing":         {"*-1\r\n", word{}, "knows no primary"},
		"an error":        {"-ERR No such master with that name\r\n", word{}, "No such master"},
		"no epoch":        {bulk("a", "6379"), word{}, "nothing of its epoch"},
		"a number":        {":1\r\n", word{}, "knows no primary"},
		"an epoch's word": {bulk("config-epoch", "many"), word{}, "invalid syntax"},
		"an epoch":        {bulk("config-epoch", "7"), word{address: "config-epoch:7", epoch: 7}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(startFake(t, map[string]string{"SENTINEL": c.answer}).address, nil)
			defer p.drop()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			got, err := askSentinel(ctx, p)
			if c.err == "" && (err != nil || got != c.want) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestASentinelsPortIsTheServersAndTwentyThousand(t *testing.T) {
	for address, want := range map[string]string{"a:6379": "a:26379", "[::1]:1": "[::1]:20001", "a:45535": "a:65535"} {
		if got, err := sentinelOf(address); err != nil || got != want {
			t.Errorf("%s: %s, %v", address, got, err)
		}
	}
	for _, address := range []string{"a:45536", "a", "a:x", "a:-1"} {
		if got, err := sentinelOf(address); err == nil {
			t.Errorf("%s: %s", address, got)
		}
	}
}
