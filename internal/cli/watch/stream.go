package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/cli/watch/frame"
	"github.com/kvbench/kvbench/internal/cli/watch/view"
)

// stream prints what there is each second, until the end.
func stream(ctx context.Context, w *writer, p *poller, object client.Object) (model, error) {
	polling, stop := context.WithCancel(ctx)
	defer stop()
	messages := make(chan any)
	p.send = func(message any) {
		select {
		case messages <- message:
		case <-polling.Done():
		}
	}
	polled := make(chan struct{})
	go func() {
		defer close(polled)
		p.run(polling, object)
	}()
	defer func() { stop(); <-polled }()
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	m := newModel(object, time.Now())
	for {
		var due bool
		select {
		case <-ctx.Done():
			return m, ctx.Err()
		case message := <-messages:
			m = m.update(message)
		case at := <-ticks.C:
			m, due = m.update(at), true
		}
		if due || m.over() {
			if err := w.write(m.frame()); err != nil {
				return m, err
			}
		}
		if m.over() {
			return m, nil
		}
		if err := m.failure(); err != nil {
			return m, err
		}
	}
}

// writer prints frames: a line for each change, or each frame as a line of JSON or a document of YAML.
type writer struct {
	out    io.Writer
	format output.Format
	last   *frame.Frame
}

func (w *writer) write(f *frame.Frame) error {
	switch w.format {
	case output.JSON:
		document, err := json.Marshal(f)
		if err != nil {
			return err
		}
		return w.print(append(escaped(document), '\n'))
	case output.YAML:
		document, err := yaml.Marshal(f)
		if err != nil {
			return err
		}
		return w.print(append([]byte("---\n"), document...))
	}
	for _, line := range view.Changes(w.last, f) {
		if err := w.print([]byte(line + "\n")); err != nil {
			return err
		}
	}
	w.last = f
	return nil
}

func (w *writer) print(text []byte) error {
	if _, err := w.out.Write(text); err != nil {
		return fmt.Errorf("printing what is watched: %w", err)
	}
	return nil
}

// escaped is the JSON without characters that can steer a terminal. encoding/json escapes some of them, and all are within strings.
func escaped(document []byte) []byte {
	if bytes.IndexFunc(document, steers) < 0 {
		return document
	}
	var safe []byte
	for _, r := range string(document) {
		if steers(r) && r <= 0xffff {
			safe = fmt.Appendf(safe, `\u%04x`, r)
			continue
		}
		safe = append(safe, string(r)...)
	}
	return safe
}

func steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
