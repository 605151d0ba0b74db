package results

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/version"
)

func (s *Server) getTime(c *call) error {
	return c.json(http.StatusOK, wire.Time{UnixNanos: s.config.Now().UnixNano()})
}

func (s *Server) getVersion(c *call) error {
	return c.json(http.StatusOK, wire.Version{Version: version.String()})
}

func (s *Server) postAdmission(c *call) error {
	uid, document, err := s.runAndPlan(c)
	if err != nil {
		return err
	}
	if err := s.registry.check(uid, document); err != nil {
		return err
	}
	return c.json(http.StatusOK, struct{}{})
}

func (s *Server) runAndPlan(c *call) (uid string, document []byte, err error) {
	uid = c.PathValue("uid")
	if !uidPattern.MatchString(uid) {
		return uid, nil, refuse(wire.ReasonInvalid, "%q is not a UID", uid)
	}
	document, err = io.ReadAll(http.MaxBytesReader(c.answer, c.Body, s.config.Limits.PlanBytes))
	return uid, document, err
}

func (s *Server) putRun(c *call) error {
	uid, document, err := s.runAndPlan(c)
	if err != nil {
		return err
	}
	created, err := s.registry.register(uid, document)
	if err != nil && explain(err).reason == wire.ReasonFull {
		s.sweep()
		created, err = s.registry.register(uid, document)
	}
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return c.json(status, struct{}{})
}

func (s *Server) postWithdrawal(c *call) error {
	if err := s.registry.withdraw(c.PathValue("uid")); err != nil {
		return err
	}
	return c.json(http.StatusOK, struct{}{})
}

func (s *Server) getRun(c *call) error {
	r, err := s.run(c)
	if err != nil {
		return err
	}
	state, err := r.state()
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, state)
}

func (s *Server) getLive(c *call) error {
	r, err := s.run(c)
	if err != nil {
		return err
	}
	live, err := s.live(c.Context(), r)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, live)
}

func (s *Server) postClaim(c *call) error {
	var w bundle.Writer
	if err := c.decode(s.config.Limits.RequestBytes, &w); err != nil {
		return err
	}
	if !s.config.Policy.Controls(c.who) {
		if r, ok := s.registry.find(c.PathValue("uid")); !ok || !r.writes(c.who, w) {
			return forbid(c.who)
		}
	}
	r, err := s.run(c)
	if err != nil {
		return err
	}
	if err := r.checkWriter(w); err != nil {
		return err
	}
	if !uidPattern.MatchString(w.PodUID) {
		return refuse(wire.ReasonInvalid, "%q is not a pod's UID", w.PodUID)
	}
	if err := r.claim(w, c.who.PodName); err != nil {
		return err
	}
	return c.json(http.StatusOK, struct{}{})
}

func (s *Server) postStart(c *call) error {
	r, workload, err := s.runWorkload(c)
	if err != nil {
		return err
	}
	var ask wire.StartRequest
	if err := c.decode(s.config.Limits.RequestBytes, &ask); err != nil {
		return err
	}
	start, err := r.start(workload, ask)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, start)
}

func (s *Server) getStart(c *call) error {
	r, workload, err := s.runWorkload(c)
	if err != nil {
		return err
	}
	wait, err := waitOf(c.URL.Query().Get("waitMillis"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Context(), wait)
	defer cancel()
	start, ok, err := r.awaitStart(ctx, s.life.Done(), workload)
	if err != nil {
		return err
	}
	if !ok {
		c.answer.WriteHeader(http.StatusNoContent)
		return nil
	}
	return c.json(http.StatusOK, start)
}

func waitOf(millis string) (time.Duration, error) {
	if millis == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(millis, 10, 64)
	if err != nil || n < 0 || n > wire.MaxWait.Milliseconds() {
		return 0, refuse(wire.ReasonInvalid, "waitMillis is a number from 0 to %d", wire.MaxWait.Milliseconds())
	}
	return time.Duration(n) * time.Millisecond, nil
}

func (s *Server) patchFile(c *call) error {
	r, name, err := s.runFile(c)
	if err != nil {
		return err
	}
	offset, err := strconv.ParseInt(c.URL.Query().Get("offset"), 10, 64)
	if err != nil || offset < 0 {
		return refuse(wire.ReasonInvalid, "an append needs offset=N, the length that the file has")
	}
	switch {
	case c.ContentLength < 0:
		return refuse(wire.ReasonInvalid, "an append needs a Content-Length")
	case c.ContentLength > wire.MaxAppendBytes:
		return refuse(wire.ReasonTooLarge, "an append has at most %d bytes", wire.MaxAppendBytes)
	}
	// One run's senders may be slow without stopping the other runs'.
	releaseOwn, err := take(c.Context(), r.uploads)
	if err != nil {
		return err
	}
	defer releaseOwn()
	release, err := take(c.Context(), s.uploads)
	if err != nil {
		return err
	}
	defer release()
	if err := r.mayAppend(name, offset, c.ContentLength); err != nil {
		return err
	}
	if err := c.connection.SetReadDeadline(time.Now().Add(s.config.Limits.TransferLimit)); err != nil {
		return err
	}
	length, err := r.append(name, offset, c.Body)
	s.metrics.appended.Add(float64(max(0, length-offset)))
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, wire.Length{Length: length, NearlyFull: s.nearlyFull(r)})
}

// nearlyFull says that the run has used up what it may, or the volume what it has, but for half of
// the reserve: that is for the end of the run.
func (s *Server) nearlyFull(r *run) bool {
	limits := &s.config.Limits
	last := min(int64(limits.ReserveBytes/2), limits.BytesPerRun/16)
	if limits.BytesPerRun > 0 && r.usage().bytes > limits.BytesPerRun-last {
		return true
	}
	free, err := s.config.Free()
	return err == nil && free < limits.ReserveBytes/2
}

func (s *Server) putEnd(c *call) error {
	r, name, err := s.runFile(c)
	if err != nil {
		return err
	}
	var mark bundle.End
	if err := c.decode(s.config.Limits.RequestBytes, &mark); err != nil {
		return err
	}
	release, err := take(c.Context(), s.digests)
	if err != nil {
		return err
	}
	defer release()
	if err := r.end(name, mark); err != nil {
		return err
	}
	return c.json(http.StatusOK, wire.Length{Length: mark.Length})
}

func (s *Server) putEnvironment(c *call) error { return s.putOfRun(c, (*run).putEnvironment) }

func (s *Server) putFaults(c *call) error { return s.putOfRun(c, (*run).putFaults) }

// putOfRun has the run keep what the controller says of it.
func (s *Server) putOfRun(c *call, keep func(*run, []byte) error) error {
	r, err := s.run(c)
	if err != nil {
		return err
	}
	document, err := io.ReadAll(http.MaxBytesReader(c.answer, c.Body, s.config.Limits.FaultsBytes))
	if err != nil {
		return err
	}
	if err := keep(r, document); err != nil {
		return err
	}
	return c.json(http.StatusOK, struct{}{})
}
