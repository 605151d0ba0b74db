package results

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/callers"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// The functions below are asked before a request is answered. A caller that may not see
// a run can't find out whether it exists.

func anyone(*call) error { return nil }

func (s *Server) controller(c *call) error {
	if !s.config.Policy.Controls(c.who) {
		return forbid(c.who)
	}
	return nil
}

// Resources of kvbench.io by which RBAC says who may read and write what the server keeps. The API server has no objects
// of the last one.
const (
	runsResource    = "benchmarkruns"
	suitesResource  = "benchmarksuites"
	resultsResource = "results"
)

// granted says whether the caller may do it, by the policy or by RBAC.
func (s *Server) granted(c *call, what callers.Permission) (bool, error) {
	if s.config.Policy.Controls(c.who) || s.config.Policy.Reads(c.who) && (what.Verb == "get" || what.Verb == "list") {
		return true, nil
	}
	allowed, err := s.grants.Allowed(c.Context(), c.who, what)
	if err != nil {
		return false, refuse(wire.ReasonUnavailable, "what %s may do can't be found out now: %v", c.who.Username, err)
	}
	return allowed, nil
}

// permit refuses with a sentence that names the right, where the caller named the namespace.
func (s *Server) permit(c *call, what callers.Permission) error {
	if what.Namespace != "" && !labelPattern.MatchString(what.Namespace) {
		return refuse(wire.ReasonInvalid, "%q is no namespace", what.Namespace)
	}
	allowed, err := s.granted(c, what)
	if err != nil || allowed {
		return err
	}
	where := fmt.Sprintf("in the namespace %q", what.Namespace)
	if what.Namespace == "" {
		where = "in all namespaces"
	}
	return refuse(wire.ReasonForbidden, "%s may not %s %s.kvbench.io %s", c.who.Username, what.Verb, what.Resource, where)
}

func (s *Server) grantedInPath(verb, resource string) func(*call) error {
	return func(c *call) error {
		return s.permit(c, callers.Permission{Namespace: c.PathValue("namespace"), Verb: verb, Resource: resource})
	}
}

func (s *Server) grantedInQuery(verb, resource string) func(*call) error {
	return func(c *call) error {
		return s.permit(c, callers.Permission{Namespace: c.URL.Query().Get("namespace"), Verb: verb, Resource: resource})
	}
}

// runReader lets in who may get the runs of the run's namespace.
func (s *Server) runReader(c *call) error {
	r, known := s.registry.find(c.PathValue("uid"))
	if !known {
		if s.config.Policy.Reads(c.who) {
			return nil // and is told so
		}
		return hidden(c)
	}
	return s.mayIn(c, callers.Permission{Namespace: r.namespace, Verb: "get", Resource: runsResource})
}

// runDeleter lets in who may read the run, and delete what is kept of its namespace.
func (s *Server) runDeleter(c *call) error {
	if err := s.runReader(c); err != nil {
		return err
	}
	r, known := s.registry.find(c.PathValue("uid"))
	if !known {
		return nil // and is told so
	}
	return s.permit(c, callers.Permission{Namespace: r.namespace, Verb: "delete", Resource: resultsResource})
}

// suiteReader lets in who may get the suites of the suite's namespace.
func (s *Server) suiteReader(c *call) error {
	if s.config.Policy.Reads(c.who) {
		return nil
	}
	name, ok := s.suites.Name(c.PathValue("uid"))
	if !ok {
		return hidden(c)
	}
	return s.mayIn(c, callers.Permission{Namespace: name.Namespace, Verb: "get", Resource: suitesResource})
}

// suiteDeleter lets in who may read the suite, and delete what is kept of its namespace.
func (s *Server) suiteDeleter(c *call) error {
	if err := s.suiteReader(c); err != nil {
		return err
	}
	name, known := s.suites.Name(c.PathValue("uid"))
	if !known {
		return nil // and is told so
	}
	return s.permit(c, callers.Permission{Namespace: name.Namespace, Verb: "delete", Resource: resultsResource})
}

// mayIn answers a caller that may not as if there were nothing.
func (s *Server) mayIn(c *call, what callers.Permission) error {
	allowed, err := s.granted(c, what)
	if err == nil && !allowed {
		return hidden(c)
	}
	return err
}

// hidden is the answer to who names a run or a suite that isn't there, and to who may not see it.
func hidden(c *call) error {
	if c.who.PodName != "" {
		return forbid(c.who)
	}
	return refuse(wire.ReasonForbidden, "nothing with this UID is kept that %s may see", c.who.Username)
}

// waiter lets the run's own pods wait for its starts.
func (s *Server) waiter(c *call) error {
	if s.config.Policy.Reads(c.who) {
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
	if s.config.Policy.Controls(c.who) {
		return nil
	}
	r, ok := s.registry.find(c.PathValue("uid"))
	w, _, parsed := bundle.ParseFile(c.PathValue("name"))
	if !ok || !parsed || !r.writes(c.who, w) {
		return forbid(c.who)
	}
	return nil
}

// fileReader lets in who may write the file, and who may read the run.
func (s *Server) fileReader(c *call) error {
	if s.writer(c) == nil {
		return nil
	}
	return s.runReader(c)
}

func forbid(who callers.Identity) error {
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
