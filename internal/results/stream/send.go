package stream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"
)

const (
	// quietFor is for how long nothing is sent until a comment says that the connection lives.
	quietFor = 5 * time.Second
	// retryMillis is after which pause a browser connects anew.
	retryMillis = 500
)

// Send sends the events after an ID until the feed ends, or ctx does. flush is called after each piece.
func (f *Feed) Send(ctx context.Context, to io.Writer, flush func() error, after int64) error {
	if err := write(to, flush, fmt.Appendf(nil, "retry: %d\n\n", retryMillis)); err != nil {
		return err
	}
	alive := time.NewTicker(quietFor)
	defer alive.Stop()
	for {
		events, over, changed := f.after(after)
		var text bytes.Buffer
		for _, e := range events {
			e.write(&text)
			after = e.ID
		}
		if text.Len() > 0 {
			if err := write(to, flush, text.Bytes()); err != nil {
				return err
			}
		}
		if over {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-alive.C:
			if err := write(to, flush, []byte(": alive\n\n")); err != nil {
				return err
			}
		}
	}
}

func (e *Event) write(to *bytes.Buffer) {
	fmt.Fprintf(to, "id: %d\n", e.ID)
	if e.Name != "" {
		fmt.Fprintf(to, "event: %s\n", e.Name)
	}
	to.WriteString("data: ")
	to.Write(e.Data)
	to.WriteString("\n\n")
}

func write(to io.Writer, flush func() error, text []byte) error {
	if _, err := to.Write(text); err != nil {
		return err
	}
	return flush()
}
