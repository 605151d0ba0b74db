package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/term"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/watch/view"
)

// display is the model and the terminal that it is drawn on. It implements tea.Model.
type display struct {
	model   model
	drawn   view.Screen
	left    bool  // somebody has left
	failure error // why it can't go on
}

// tick is the clock's, once a second.
type tick time.Time

func nextTick() tea.Cmd {
	return tea.Tick(time.Second, func(at time.Time) tea.Msg { return tick(at) })
}

// Init implements tea.Model.
func (d display) Init() tea.Cmd { return nextTick() }

// Update implements tea.Model.
func (d display) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	next := tea.Cmd(nil)
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		d.drawn.Width, d.drawn.Height = message.Width, message.Height
	case tea.KeyMsg:
		switch message.String() {
		case "q", "Q", "esc", "ctrl+c":
			d.left = true
			return d, tea.Quit
		}
	case tick:
		d.model = d.model.update(time.Time(message))
		next = nextTick()
	default:
		d.model = d.model.update(message)
	}
	d.failure = d.model.failure()
	if d.failure != nil || d.model.over() {
		return d, tea.Quit
	}
	return d, next
}

// View implements tea.Model.
func (d display) View() string { return view.Of(d.model.frame(), d.drawn) }

// draw shows a live screen until the end, or until somebody leaves. The last screen stays.
func draw(ctx context.Context, e *env.Env, out *os.File, p *poller, object client.Object) (model, error) {
	begin := display{model: newModel(object, time.Now()), drawn: sizeOf(out, e.Colours())}
	begin.drawn.Footer = "q leaves; the " + string(inventory.Of(object).Kind) + " goes on"
	polling, stop := context.WithCancel(ctx)
	defer stop()
	keys := io.Reader(nil)
	if in := terminal(e.In); in != nil {
		keys = in
	}
	program := tea.NewProgram(begin, tea.WithContext(ctx), tea.WithInput(keys), tea.WithOutput(out), tea.WithAltScreen(), tea.WithoutSignalHandler())
	p.send = func(message any) { program.Send(message) }
	polled := make(chan struct{})
	go func() {
		defer close(polled)
		p.run(polling, object)
	}()
	ended, err := program.Run()
	stop()
	<-polled
	last, is := ended.(display)
	if !is {
		return begin.model, fmt.Errorf("drawing on the terminal: %w", err)
	}
	last.drawn.Footer = ""
	fmt.Fprintln(out, last.View())
	switch {
	case ctx.Err() != nil:
		return last.model, ctx.Err()
	case err != nil && !errors.Is(err, tea.ErrInterrupted):
		return last.model, fmt.Errorf("drawing on the terminal: %w", err)
	case last.failure != nil:
		return last.model, last.failure
	case last.left:
		return last.model, errLeft
	}
	return last.model, nil
}

// errLeft says that somebody has left while it went on.
var errLeft = errors.New("left")

func sizeOf(out *os.File, colours bool) view.Screen {
	s := view.Screen{Width: view.DefaultWidth, Height: view.DefaultHeight, Colours: colours}
	if width, height, err := term.GetSize(int(out.Fd())); err == nil && width > 0 && height > 0 {
		s.Width, s.Height = width, height
	}
	return s
}

// terminal is the stream as a terminal that a screen can be drawn on; nil for any other.
func terminal(stream any) *os.File {
	file, is := stream.(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return file
}
