package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

const resultsNamespace = forward.Namespace

// link is a connection to the results server that is made when it is needed, and made
// anew when it broke.
type link struct {
	k         *cluster
	namespace string
	session   *forward.Session
}

func (l *link) Close() {
	if l.session != nil {
		l.session.Close()
		l.session = nil
	}
}

func (l *link) download(ctx context.Context, path string, to io.Writer) (err error) {
	if l.session == nil {
		if l.session, err = forward.Open(ctx, l.k.config, forward.Place{System: l.namespace, Namespace: "default"}); err != nil {
			l.session = nil
			return err
		}
	}
	if err = l.session.Download(ctx, path, to); err != nil {
		l.Close()
	}
	return err
}

// Live is the newest second, or nil: it is only shown, so its lack is no error.
func (l *link) Live(ctx context.Context, uid string) *wire.Live {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	var body bytes.Buffer
	live := &wire.Live{}
	if err := l.download(ctx, forward.Location(uid)+forward.Live, &body); err != nil || json.Unmarshal(body.Bytes(), live) != nil {
		return nil
	}
	return live
}

// Fetch downloads a document. The server may be restarting, so a failure is tried again
// for a while, and the last one is told.
func (l *link) Fetch(ctx context.Context, path string) ([]byte, error) {
	deadline := time.Now().Add(patience)
	for {
		var body bytes.Buffer
		err := l.download(ctx, path, &body)
		if err == nil {
			return body.Bytes(), nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return nil, fmt.Errorf("fetching the results: %w", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}
