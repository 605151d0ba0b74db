package results

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/results/wire"
)

func (s *Server) getDocument(c *call) error {
	r, err := s.run(c)
	if err != nil {
		return err
	}
	name := c.PathValue("document")
	kind, ok := served[name]
	if !ok && name != junitFile {
		return refuse(wire.ReasonNotFound, "a run has no document %q", name)
	}
	// The JSON is what makes a run reported; a Markdown without it is half a report.
	if state, err := r.state(); err != nil {
		return err
	} else if !state.Reported {
		return refuse(wire.ReasonNotFound, "the run %s has no report yet", r.uid)
	}
	if name == junitFile {
		return s.sendJUnit(c, r)
	}
	return s.sendFile(c, r.path(name), kind)
}

// junitFile is computed from the report for each request.
const junitFile = "junit.xml"

func (s *Server) sendJUnit(c *call, r *run) error {
	document, err := s.junitOf(c.Context(), r)
	if err != nil {
		return err
	}
	c.answer.Header().Set("Content-Type", "application/xml")
	_, err = s.patient(c).Write(document)
	return err
}

func (s *Server) junitOf(ctx context.Context, r *run) ([]byte, error) {
	release, err := take(ctx, s.answers)
	if err != nil {
		return nil, err
	}
	defer release()
	made, err := readReport(r)
	if err != nil {
		return nil, fmt.Errorf("the report of run %s can't be read: %w", r.uid, err)
	}
	return render.JUnit(made)
}

func readReport(r *run) (*report.Report, error) {
	file, err := os.Open(r.path(bundle.ReportFile))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	made := &report.Report{}
	return made, json.NewDecoder(bufio.NewReader(file)).Decode(made)
}

func (s *Server) getFile(c *call) error {
	r, name, err := s.runFile(c)
	if err != nil {
		return err
	}
	return s.sendFile(c, r.path(name), "application/octet-stream")
}

func (s *Server) sendFile(c *call, path, kind string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse(wire.ReasonNotFound, "the run has no such file")
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	c.answer.Header().Set("Content-Type", kind)
	if err := c.connection.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	http.ServeContent(s.patient(c), c.Request, "", info.ModTime(), file)
	return nil
}

func (s *Server) getBundle(c *call) error {
	r, err := s.run(c)
	if err != nil {
		return err
	}
	release, err := take(c.Context(), s.archives)
	if err != nil {
		return err
	}
	defer release()
	if err := c.connection.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	c.answer.Header().Set("Content-Type", "application/x-tar")
	return r.archive(s.patient(c))
}

// patientWriter gives every piece its own deadline: a large answer may take long, but a
// reader that has stopped reading may not hold on to it. It has no ReadFrom, so that a
// copy can't pass the pieces by.
type patientWriter struct {
	answer     http.ResponseWriter
	connection *http.ResponseController
	limit      time.Duration
}

func (s *Server) patient(c *call) *patientWriter {
	return &patientWriter{answer: c.answer, connection: c.connection, limit: s.config.Limits.TransferLimit}
}

func (w *patientWriter) Header() http.Header { return w.answer.Header() }

func (w *patientWriter) WriteHeader(status int) { w.answer.WriteHeader(status) }

func (w *patientWriter) Write(piece []byte) (int, error) {
	if err := w.connection.SetWriteDeadline(time.Now().Add(w.limit)); err != nil {
		return 0, err
	}
	return w.answer.Write(piece)
}
