package helm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of a process that renders a chart which somebody else wrote, beside renderMemoryBytes.
const (
	renderSeconds   = 5 // of a processor
	renderDeadline  = time.Minute
	maxAnswerBytes  = 8 * maxManifestBytes // JSON writes some characters as six
	maxTroubleBytes = 2000
)

// ErrBusy says that the one rendering at a time is another one.
var ErrBusy = errors.New("another chart is being rendered: it is tried again")

// Isolated renders such charts in a process of its own, one after the other. A template can
// ask for any memory and never end, and Go can't break it off.
type Isolated struct {
	command []string
	one     chan struct{}
}

// NewIsolated renders with the command, which calls ServeRender.
func NewIsolated(command ...string) *Isolated {
	return &Isolated{command: command, one: make(chan struct{}, 1)}
}

// answer is what the process says. Without Trouble it is Rendered.
type answer struct {
	Trouble  string   `json:"trouble,omitempty"`
	Rendered Rendered `json:"rendered"`
}

// Render is RenderOwn's, within bounds. Its error is a *BadChart where the chart is the cause, and
// ErrBusy while it renders another one: whoever asks has other things to do.
func (i *Isolated) Render(ctx context.Context, own OwnChart) (Rendered, error) {
	select {
	case i.one <- struct{}{}:
		defer func() { <-i.one }()
	default:
		return Rendered{}, ErrBusy
	}
	question, err := json.Marshal(own)
	if err != nil {
		return Rendered{}, fmt.Errorf("ask for the chart to be rendered: %w", err)
	}
	bounded, cancel := context.WithTimeout(ctx, renderDeadline)
	defer cancel()
	said, failed := &limited{left: maxAnswerBytes}, &limited{left: maxTroubleBytes}
	process := exec.CommandContext(bounded, i.command[0], i.command[1:]...)
	process.Env = []string{} // the chart is none of ours
	process.Stdin, process.Stdout, process.Stderr = bytes.NewReader(question), said, failed
	process.WaitDelay = time.Second
	err = process.Run()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Rendered{}, ctx.Err()
	case errors.As(err, &ended) && ended.ExitCode() == 1:
		return Rendered{}, fmt.Errorf("render the chart: %s", oneLine(errors.New(failed.String())))
	case errors.As(err, &ended) || bounded.Err() != nil:
		return Rendered{}, bad("it took more than %d MiB of memory or %d s of a processor to render: make it simpler", renderMemoryBytes>>20, renderSeconds)
	case err != nil:
		return Rendered{}, fmt.Errorf("start a process that renders the chart: %w", err)
	}
	var got answer
	if err := json.Unmarshal(said.Bytes(), &got); err != nil {
		return Rendered{}, fmt.Errorf("read what the process made of the chart: %w", err)
	}
	if got.Trouble != "" {
		return Rendered{}, &BadChart{got.Trouble}
	}
	return got.Rendered, nil
}

// ServeRender bounds its process, and renders the chart that it is given.
func ServeRender(in io.Reader, out io.Writer) error {
	for resource, most := range map[int]uint64{
		unix.RLIMIT_DATA: renderMemoryBytes, unix.RLIMIT_CPU: renderSeconds, unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0,
	} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("bound the process: %w", err)
		}
	}
	debug.SetMemoryLimit(renderMemoryBytes / 2) // collect garbage before it gets tight
	var own OwnChart
	if err := json.NewDecoder(in).Decode(&own); err != nil {
		return fmt.Errorf("read the chart: %w", err)
	}
	rendered, err := RenderOwn(own)
	said := answer{Rendered: rendered}
	if err != nil {
		said.Trouble = strings.ToValidUTF8(err.Error()[:min(len(err.Error()), maxTroubleBytes)], "")
	}
	return json.NewEncoder(out).Encode(said)
}

// limited keeps so many bytes, and drops the rest.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(part []byte) (int, error) {
	kept := part[:min(len(part), l.left)]
	l.left -= len(kept)
	l.Buffer.Write(kept)
	return len(part), nil
}
