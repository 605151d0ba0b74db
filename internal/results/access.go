package results

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// The functions below are asked before a request is answered. A caller that may not see
// a run can't find out whether it exists.

func anyone(*call) error { return nil }

func (s *Server) controller(c *call) error {
	if !s.config.Policy.controls(c.who) {
		return forbid(c.who)
	}
	return nil
}

func (s *Server) reader(c *call) error {
	if !s.config.Policy.reads(c.who) {
		return forbid(c.who)
	}
	return nil
}

// waiter lets the run's own pods wait for its starts.
func (s *Server) waiter(c *call) error {
	if s.config.Policy.reads(c.who) {
		return nil
	}
	r, ok := s.registry.find(c.PathValue("uid"))
	if !ok || !r.waits(c.who, c.PathValue("workload")) {
		return forbid(c.who)
	}
	return nil
}

// writer lets a pod write the files that carry its UID, and the controller every one.
func (s *Server) writer(c *call) error {
	if s.config.Policy.controls(c.who) {
		return nil
	}
	r, ok := s.registry.find(c.PathValue("uid"))
	w, _, parsed := bundle.ParseFile(c.PathValue("name"))
	if !ok || !parsed || !r.writes(c.who, w) {
		return forbid(c.who)
	}
	return nil
}

func (s *Server) fileReader(c *call) error {
	if s.config.Policy.reads(c.who) {
		return nil
	}
	return s.writer(c)
}

func forbid(who Identity) error {
	if who.PodName != "" {
		return refuse(wire.ReasonForbidden, "%s (pod %s) may not do this", who.Username, who.PodName)
	}
	return refuse(wire.ReasonForbidden, "%s may not do this", who.Username)
}

// run is the run that the request names.
func (s *Server) run(c *call) (*run, error) {
	uid := c.PathValue("uid")
	if !uidPattern.MatchString(uid) {
		return nil, refuse(wire.ReasonInvalid, "%q is not a UID", uid)
	}
	r, ok := s.registry.find(uid)
	if !ok {
		return nil, refuse(wire.ReasonNotFound, "the run %s is not known here", uid)
	}
	return r, nil
}

// runWorkload is the run and the workload that the request names.
func (s *Server) runWorkload(c *call) (*run, string, error) {
	r, err := s.run(c)
	if err != nil {
		return nil, "", err
	}
	workload := c.PathValue("workload")
	if _, ok := r.workloads[workload]; !ok {
		return nil, "", refuse(wire.ReasonNotFound, "the run %s has no workload %q", r.uid, workload)
	}
	return r, workload, nil
}

// runFile is the run and the file that the request names.
func (s *Server) runFile(c *call) (*run, string, error) {
	r, err := s.run(c)
	if err != nil {
		return nil, "", err
	}
	name := c.PathValue("name")
	w, _, ok := bundle.ParseFile(name)
	if !ok {
		return nil, "", refuse(wire.ReasonInvalid, "%q is no name of a run's file", name)
	}
	if err := r.checkWriter(w); err != nil {
		return nil, "", err
	}
	return r, name, nil
}
