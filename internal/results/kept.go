package results

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/suites"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/findings"
)

// getRuns lists the runs of a namespace, or of all, those that began last first. A name keeps those alone that have it.
func (s *Server) getRuns(c *call) error {
	release, err := take(c.Context(), s.views)
	if err != nil {
		return err
	}
	defer release()
	namespace, name := c.URL.Query().Get("namespace"), c.URL.Query().Get("name")
	list := wire.RunList{Runs: []wire.RunSummary{}}
	for _, r := range s.registry.all() {
		if namespace != "" && r.namespace != namespace || name != "" && r.name != name {
			continue
		}
		summary, err := r.summary()
		if errors.Is(err, fs.ErrNotExist) {
			continue // retention took it meanwhile
		}
		if err != nil { // a damaged report must not hide the other runs
			s.config.Log.Error("a run is listed without what its report says", "run", r.uid, "error", err)
		}
		list.Runs = append(list.Runs, summary)
	}
	slices.SortFunc(list.Runs, func(a, b wire.RunSummary) int {
		return cmp.Or(cmp.Compare(b.StartedAtUnixNanos, a.StartedAtUnixNanos), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	return c.json(http.StatusOK, list)
}

// summary says of the run what a list shows.
func (r *run) summary() (wire.RunSummary, error) {
	told := wire.RunSummary{UID: r.uid, Namespace: r.namespace, Name: r.name, Store: r.store, Mode: r.mode, Members: r.members, Workloads: len(r.workloads)}
	r.mu.Lock()
	told.Reported, told.Bytes = r.reported, r.bytes
	for _, start := range r.starts {
		if told.StartedAtUnixNanos == 0 || start.StartUnixNanos < told.StartedAtUnixNanos {
			told.StartedAtUnixNanos = start.StartUnixNanos
		}
	}
	judged := r.judged
	r.mu.Unlock()
	if !told.Reported {
		return told, nil
	}
	if judged == nil {
		var err error
		if judged, err = readJudgement(r.path(bundle.ReportFile)); err != nil {
			return told, err
		}
		r.mu.Lock()
		r.judged = judged // a report never changes
		r.mu.Unlock()
	}
	told.Judgement = judged
	return told, nil
}

// readJudgement reads the begin of a report, which can have many megabytes.
func readJudgement(path string) (*wire.Judgement, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	judged, err := judgementOf(bufio.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("read the begin of %s: %w", path, err)
	}
	return judged, nil
}

// judgementOf stops at the report's field run, which comes after all that it looks for.
func judgementOf(document io.Reader) (*wire.Judgement, error) {
	decoder := json.NewDecoder(document)
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	judged := &wire.Judgement{InvalidReasons: []string{}}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var into any = new(json.RawMessage)
		var reasons []report.Reason
		switch key {
		case "valid":
			into = &judged.Valid
		case "invalidReasons":
			into = &reasons
		case "verdict":
			into = &judged.Verdict
		case "run":
			return judged, nil
		}
		if err := decoder.Decode(into); err != nil {
			return nil, err
		}
		for _, reason := range reasons {
			if !slices.Contains(judged.InvalidReasons, reason.Reason) {
				judged.InvalidReasons = append(judged.InvalidReasons, reason.Reason)
			}
		}
	}
	return judged, nil
}

// getSuites lists the suites of a namespace, or of all, those that changed last first. A name keeps those alone that have it, and
// the UID of a run those that have the run.
func (s *Server) getSuites(c *call) error {
	asked := c.URL.Query()
	return c.json(http.StatusOK, wire.SuiteList{Suites: s.suites.List(asked.Get("namespace"), asked.Get("name"), asked.Get("run"))})
}

// getBaselines lists what is kept under a name in a namespace.
func (s *Server) getBaselines(c *call) error {
	kept, err := s.suites.Baselines(c.PathValue("namespace"))
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, wire.BaselineList{Baselines: kept})
}

// putBaseline keeps a document that the caller has, such as what a suite found.
func (s *Server) putBaseline(c *call) error {
	release, err := take(c.Context(), s.pins)
	if err != nil {
		return err
	}
	defer release()
	document, err := io.ReadAll(http.MaxBytesReader(c.answer, c.Body, suites.MaxBaselineBytes))
	if err != nil {
		return err
	}
	made, err := findings.ReadBaseline(document)
	if err != nil {
		return refuse(wire.ReasonInvalid, "the document is no baseline: %v", err)
	}
	if err := s.suites.KeepBaseline(c.PathValue("namespace"), c.PathValue("name"), made); err != nil {
		return refusalOfSuite(err)
	}
	return c.json(http.StatusOK, struct{}{})
}

// deleteBaseline forgets what is kept under a name.
func (s *Server) deleteBaseline(c *call) error {
	err := s.suites.DeleteBaseline(c.PathValue("namespace"), c.PathValue("name"))
	if errors.Is(err, suites.ErrNoBaseline) {
		return refuse(wire.ReasonNotFound, "%v", err)
	}
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, struct{}{})
}
