package results

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"time"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/suites"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// uidOf is the UID that the request's path has.
func uidOf(c *call) (string, error) {
	uid := c.PathValue("uid")
	if !uidPattern.MatchString(uid) {
		return "", refuse(wire.ReasonInvalid, "%q is not a UID", uid)
	}
	return uid, nil
}

// withoutDeadlines is for requests of the controller's that read many reports.
func withoutDeadlines(c *call) error {
	return errors.Join(c.connection.SetReadDeadline(time.Time{}), c.connection.SetWriteDeadline(time.Time{}))
}

// postSuiteAdmission says whether the runs of a suite could be kept. It keeps nothing.
func (s *Server) postSuiteAdmission(c *call) error {
	var needed wire.SuiteNeed
	if err := c.decode(s.config.Limits.RequestBytes, &needed); err != nil {
		return err
	}
	if err := s.registry.checkSuite(needed); err != nil {
		return err
	}
	return c.json(http.StatusOK, struct{}{})
}

// putSuite keeps what the controller tells of a suite.
func (s *Server) putSuite(c *call) error {
	uid, err := uidOf(c)
	if err != nil {
		return err
	}
	document, err := io.ReadAll(http.MaxBytesReader(c.answer, c.Body, suites.MaxManifestBytes))
	if err != nil {
		return err
	}
	if err := s.suites.Put(uid, document); err != nil {
		return refusalOfSuite(err)
	}
	return c.json(http.StatusOK, struct{}{})
}

// refusalOfSuite is why a manifest wasn't kept.
func refusalOfSuite(err error) error {
	var disk *suites.DiskError
	switch {
	case errors.Is(err, suites.ErrFull), errors.Is(err, suites.ErrFullBaselines):
		return refuse(wire.ReasonFull, "%v", err)
	case errors.As(err, &disk):
		return err
	}
	return refuse(wire.ReasonInvalid, "%v", err)
}

// postSuiteAdoption says which runs of an earlier suite are a suite's own from now on.
func (s *Server) postSuiteAdoption(c *call) error {
	uid, err := uidOf(c)
	if err != nil {
		return err
	}
	var ask wire.AdoptionRequest
	if err := c.decode(suites.MaxManifestBytes, &ask); err != nil {
		return err
	}
	asked, err := manifest.Read(ask.Manifest)
	if err != nil || asked.Suite.UID != uid || len(ask.Fingerprints) > len(asked.Combinations) {
		return refuse(wire.ReasonInvalid, "the manifest is not of the suite %s with %d combinations or more: %v", uid, len(ask.Fingerprints), err)
	}
	if err := withoutDeadlines(c); err != nil {
		return err
	}
	release, err := take(c.Context(), s.answers)
	if err != nil {
		return err
	}
	defer release()
	var disk error
	fingerprintOf := s.fingerprints()
	adoption, err := s.suites.Adopt(asked, ask.Fingerprints, ask.Seed, func(attempt *manifest.Attempt) (fingerprint string, err error) {
		fingerprint, err = fingerprintOf(attempt)
		disk = errors.Join(disk, err, c.Context().Err())
		return fingerprint, disk
	})
	switch {
	case disk != nil:
		return disk
	case err != nil:
		return refusalOfSuite(err)
	}
	return c.json(http.StatusOK, adoption)
}

// putSuiteBaselines keeps what a suite is compared with, as it is now.
func (s *Server) putSuiteBaselines(c *call) error {
	uid, err := uidOf(c)
	if err != nil {
		return err
	}
	var ask wire.PinRequest
	if err := c.decode(suites.MaxManifestBytes, &ask); err != nil {
		return err
	}
	pinned, err := s.suites.Pin(uid, ask.Namespace, ask.Baselines)
	if err != nil {
		return refusalOfSuite(err)
	}
	return c.json(http.StatusOK, pinned)
}

// postSuiteBaseline keeps what a complete suite found, under a name.
func (s *Server) postSuiteBaseline(c *call) error {
	uid, err := uidOf(c)
	if err != nil {
		return err
	}
	var ask wire.KeepRequest
	if err := c.decode(s.config.Limits.RequestBytes, &ask); err != nil {
		return err
	}
	if err := withoutDeadlines(c); err != nil {
		return err
	}
	document, err := s.suiteDocument(c.Context(), uid, "baseline.json")
	if err != nil {
		return err
	}
	made, err := findings.ReadBaseline(document)
	if err != nil {
		return err
	}
	if err := s.suites.KeepBaseline(made.Suite.Namespace, ask.Name, made); err != nil {
		return refusalOfSuite(err)
	}
	return c.json(http.StatusOK, struct{}{})
}

// getBaseline is what a suite kept under that name.
func (s *Server) getBaseline(c *call) error {
	document, err := s.suites.Baseline(c.PathValue("namespace"), c.PathValue("name"))
	if errors.Is(err, suites.ErrNoBaseline) {
		return refuse(wire.ReasonNotFound, "%v", err)
	}
	if err != nil {
		return err
	}
	c.answer.Header().Set("Content-Type", "application/json")
	_, err = s.patient(c).Write(document)
	return err
}

// getSuiteDocument computes it from the reports that are there now.
func (s *Server) getSuiteDocument(c *call) error {
	uid, err := uidOf(c)
	if err != nil {
		return err
	}
	name := c.PathValue("document")
	kind, err := suites.Kind(name)
	if err != nil {
		return refuse(wire.ReasonNotFound, "%v", err)
	}
	if err := c.connection.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	document, err := s.suiteDocument(c.Context(), uid, name)
	if err != nil {
		return err
	}
	c.answer.Header().Set("Content-Type", kind)
	_, err = s.patient(c).Write(document)
	return err
}

// suiteDocument makes one at a time, for as long as somebody waits for it.
func (s *Server) suiteDocument(ctx context.Context, uid, name string) ([]byte, error) {
	release, err := take(ctx, s.answers)
	if err != nil {
		return nil, err
	}
	defer release()
	told, err := s.suites.Manifest(uid)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse(wire.ReasonNotFound, "the suite %s is not known here", uid)
	}
	if err != nil {
		return nil, err
	}
	baselines, err := s.suites.Pinned(uid)
	if err != nil {
		return nil, err
	}
	document, err := suites.Document(name, told, baselines, s.runsOf(ctx))
	var not *suites.ErrNotABaseline
	if errors.As(err, &not) {
		return nil, refuse(wire.ReasonNotFound, "the suite is no baseline: %v", not)
	}
	return document, err
}

// runsOf gives what a run found in the workloads with a prefix, by the run's report; nil if that isn't kept, or can't be used. The
// report that was read last stays at hand, for combinations that share a run are asked for one after the other.
func (s *Server) runsOf(ctx context.Context) func(uid, prefix string) (*findings.Run, error) {
	var last string
	var made *report.Report
	return func(uid, prefix string) (found *findings.Run, err error) {
		if err := ctx.Err(); err != nil {
			return nil, errors.Join(errBusy, err)
		}
		if uid != last {
			made, last = nil, "" // so that no two reports are held
			if made, err = s.reportOf(uid); err != nil {
				return nil, err
			}
			last = uid
		}
		if made == nil {
			return nil, nil
		}
		return findings.RunOf(made, prefix), nil
	}
}
