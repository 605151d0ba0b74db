package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/output"
	"github.com/kvbench/kvbench/internal/cli/printable"
	"github.com/kvbench/kvbench/internal/cli/watch/frame"
	"github.com/kvbench/kvbench/internal/cli/watch/view"
)

// Frames calls each with what there is of a run or a suite, once a second, until the end.
func Frames(ctx context.Context, cluster *kube.Cluster, results *kube.Results, entry *inventory.Entry, each func(*frame.Frame) error) error {
	object, err := resourceOf(entry)
	if err != nil {
		return err
	}
	_, err = stream(ctx, each, newPoller(cluster, results, object), object)
	return err
}

// stream calls each with what there is each second, until the end.
func stream(ctx context.Context, each func(*frame.Frame) error, p *poller, object client.Object) (model, error) {
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
			if err := each(m.frame()); err != nil {
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
	if w.format != output.Table {
		document, err := w.document(f)
		if err != nil {
			return err
		}
		return w.print(document)
	}
	for _, line := range view.Changes(w.last, f) {
		if err := w.print([]byte(line + "\n")); err != nil {
			return err
		}
	}
	w.last = f
	return nil
}

// document is the frame for programs. It has words of pods and users, and a terminal may show it.
func (w *writer) document(f *frame.Frame) ([]byte, error) {
	document, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	if w.format == output.JSON {
		return append(printable.JSON(document), '\n'), nil
	}
	document, err = printable.YAML(document)
	return append([]byte("---\n"), document...), err
}

func (w *writer) print(text []byte) error {
	if _, err := w.out.Write(text); err != nil {
		return fmt.Errorf("printing what is watched: %w", err)
	}
	return nil
}
