package results

import (
	"errors"
	"net/http"
	"slices"

	"github.com/kvbench/kvbench/internal/results/suites"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// deleteRun forgets a run that has its report, or that nobody can still be measuring. Whoever knows that the run is over, since
// its resource is gone, says so in the query: the server can't see resources. So does who knows it of suites, by their UIDs.
func (s *Server) deleteRun(c *call) error {
	r, err := s.run(c)
	if err != nil {
		return err
	}
	asked := c.URL.Query()
	if of, needs := heldBy(s.suites.Needing(r.uid), asked["suiteOver"]); needs {
		return refuse(wire.ReasonInUse, "the suite %s/%s is not complete and needs the run %s/%s: delete the suite first, or wait until it is complete",
			of.Namespace, of.Name, r.namespace, r.name)
	}
	now := s.registry.ages.now()
	over := asked.Get("over") == "true"
	gone, err := s.registry.forget(r.uid, func(u usage) bool { return !u.merging && (u.reported || over || u.disposable(now)) })
	if err != nil {
		return err
	}
	if !gone {
		return refuse(wire.ReasonInUse, "the run %s/%s is under way, or its report is being made: delete the BenchmarkRun first, and wait until it is gone", r.namespace, r.name)
	}
	s.config.Log.Info("forgot a run for somebody who may delete it", "run", r.uid, "user", c.who.Username)
	return c.json(http.StatusOK, struct{}{})
}

// heldBy is the first of the suites that need a run, of those that aren't known to be over.
func heldBy(needing []manifest.Name, over []string) (manifest.Name, bool) {
	for _, of := range needing {
		if !slices.Contains(over, of.UID) {
			return of, true
		}
	}
	return manifest.Name{}, false
}

// deleteSuite forgets what is kept of a suite that is complete, or whose resource is gone, as the query says. Its runs stay.
func (s *Server) deleteSuite(c *call) error {
	uid, err := uidOf(c)
	if err != nil {
		return err
	}
	of, _ := s.suites.Name(uid)
	err = s.suites.Delete(uid, c.URL.Query().Get("over") == "true")
	switch {
	case errors.Is(err, suites.ErrNoSuite):
		return refuse(wire.ReasonNotFound, "the suite %s is not known here", uid)
	case errors.Is(err, suites.ErrUnderWay):
		return refuse(wire.ReasonInUse, "the suite %s/%s is not complete: delete the BenchmarkSuite first, and wait until it is gone", of.Namespace, of.Name)
	case err != nil:
		return err
	}
	s.config.Log.Info("forgot a suite for somebody who may delete it", "suite", uid, "user", c.who.Username)
	return c.json(http.StatusOK, struct{}{})
}
