package logs

import (
	"context"
	"errors"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// opener opens the log of a container.
type opener func(ctx context.Context, c container, o corev1.PodLogOptions) (io.ReadCloser, error)

// openWith asks the API server.
func openWith(clients kubernetes.Interface) opener {
	return func(ctx context.Context, c container, o corev1.PodLogOptions) (io.ReadCloser, error) {
		return clients.CoreV1().Pods(c.Namespace).GetLogs(c.Pod, &o).Stream(ctx)
	}
}

// span is how much of a log is wanted.
type span struct {
	since time.Time // zero is the start
	tail  int64     // lines of each life of a container; negative is all
}

// optionsFor asks for the log from the position on.
func optionsFor(c container, s span, p *Position, follow bool) corev1.PodLogOptions {
	o := corev1.PodLogOptions{Container: c.Name, Previous: c.Previous, Follow: follow, Timestamps: true}
	since := s.since
	if p.Started() {
		since = p.Since()
	} else if s.tail >= 0 {
		o.TailLines = &s.tail
	}
	if !since.IsZero() {
		o.SinceTime = &metav1.Time{Time: since}
	}
	return o
}

// logStream reads the new lines of one life of a container. It is opened when its first line is asked for, and closed at its end.
type logStream struct {
	ctx       context.Context
	open      opener
	container container
	span      span
	follow    bool
	position  *Position
	keep      func(Line) (Line, bool) // nil keeps all

	body io.ReadCloser
	from *reader
}

// Next implements Stream.
func (s *logStream) Next() (Line, error) {
	if s.from == nil {
		s.position.Reopen()
		body, err := s.open(s.ctx, s.container, optionsFor(s.container, s.span, s.position, s.follow))
		if err != nil {
			return Line{}, err
		}
		s.body, s.from = body, newReader(body, s.container.Like)
	}
	for {
		line, err := s.from.Next()
		if err != nil {
			_ = s.body.Close() // nothing is written to it
			return Line{}, err
		}
		if !s.position.Read(line.Time) {
			continue
		}
		if s.keep == nil {
			return line, nil
		}
		if kept, ok := s.keep(line); ok {
			return kept, nil
		}
	}
}

// lastOf gives the last lines of a stream. It holds so many.
type lastOf struct {
	from Stream
	n    int64
	held *listed
}

// Next implements Stream.
func (l *lastOf) Next() (Line, error) {
	if l.held == nil {
		l.held = &listed{}
		if l.n <= 0 {
			return Line{}, io.EOF
		}
		for {
			line, err := l.from.Next()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return Line{}, err
			}
			if int64(len(l.held.lines)) == l.n {
				l.held.lines = l.held.lines[1:]
			}
			l.held.lines = append(l.held.lines, line)
		}
	}
	return l.held.Next()
}

// ahead is a stream whose first line is read before it is asked for.
type ahead struct {
	from Stream
	line Line
	err  error
	read bool
}

func (a *ahead) fetch() { a.line, a.err, a.read = Line{}, nil, true; a.line, a.err = a.from.Next() }

// Next implements Stream.
func (a *ahead) Next() (Line, error) {
	if a.read {
		a.read = false
		return a.line, a.err
	}
	return a.from.Next()
}
