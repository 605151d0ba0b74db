package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/kvbench/kvbench/internal/results/callers"
	"github.com/kvbench/kvbench/internal/results/pages"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// errBusy means that no slot came free before the caller went away.
var errBusy = errors.New("all slots are taken")

// routes names every request that is answered, and who may make it.
func (s *Server) routes() {
	s.mux.HandleFunc("GET /healthz", ok)
	s.mux.HandleFunc("GET /readyz", ok)
	pages.Register(s.mux)
	s.handle("GET /v1/time", anyone, s.getTime)
	s.handle("GET /v1/version", anyone, s.getVersion)

	s.handle("GET /v1/runs", s.grantedInQuery("list", runsResource), s.getRuns)
	s.handle("POST /v1/runs/{uid}/admission", s.controller, s.postAdmission)
	s.handle("PUT /v1/runs/{uid}", s.controller, s.putRun)
	s.handle("POST /v1/runs/{uid}/withdrawal", s.controller, s.postWithdrawal)
	s.handle("GET /v1/runs/{uid}", s.runReader, s.getRun)
	s.handle("DELETE /v1/runs/{uid}", s.runDeleter, s.deleteRun)
	s.handle("GET /v1/runs/{uid}/live", s.runReader, s.getLive)
	s.handle("GET /v1/runs/{uid}/seconds", s.runReader, s.getSeconds)
	s.handle("GET /v1/runs/{uid}/bundle.tar", s.runReader, s.getBundle)
	s.handle("GET /v1/runs/{uid}/{document}", s.runReader, s.getDocument)
	s.handle("PUT /v1/runs/{uid}/faults", s.controller, s.putFaults)
	s.handle("PUT /v1/runs/{uid}/environment", s.controller, s.putEnvironment)
	s.handle("POST /v1/runs/{uid}/report", s.controller, s.postReport)

	s.handle("GET /v1/suites", s.grantedInQuery("list", suitesResource), s.getSuites)
	s.handle("POST /v1/suites/{uid}/admission", s.controller, s.postSuiteAdmission)
	s.handle("POST /v1/suites/{uid}/adoption", s.controller, s.postSuiteAdoption)
	s.handle("PUT /v1/suites/{uid}/baselines", s.controller, s.putSuiteBaselines)
	s.handle("POST /v1/suites/{uid}/baseline", s.controller, s.postSuiteBaseline)
	s.handle("GET /v1/baselines/{namespace}", s.grantedInPath("get", suitesResource), s.getBaselines)
	s.handle("GET /v1/baselines/{namespace}/{name}", s.grantedInPath("get", suitesResource), s.getBaseline)
	s.handle("PUT /v1/baselines/{namespace}/{name}", s.grantedInPath("create", resultsResource), s.putBaseline)
	s.handle("DELETE /v1/baselines/{namespace}/{name}", s.grantedInPath("delete", resultsResource), s.deleteBaseline)
	s.handle("PUT /v1/suites/{uid}", s.controller, s.putSuite)
	s.handle("DELETE /v1/suites/{uid}", s.suiteDeleter, s.deleteSuite)
	s.handle("GET /v1/suites/{uid}/{document}", s.suiteReader, s.getSuiteDocument)

	s.handle("POST /v1/runs/{uid}/claims", anyone, s.postClaim) // the body says for whom
	s.handle("POST /v1/runs/{uid}/starts/{workload}", s.controller, s.postStart)
	s.handle("GET /v1/runs/{uid}/starts/{workload}", s.waiter, s.getStart)
	s.handle("PATCH /v1/runs/{uid}/files/{name}", s.writer, s.patchFile)
	s.handle("GET /v1/runs/{uid}/files/{name}", s.fileReader, s.getFile) // and HEAD
	s.handle("PUT /v1/runs/{uid}/files/{name}/end", s.writer, s.putEnd)
}

func ok(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

// call is one authenticated request.
type call struct {
	*http.Request
	answer     http.ResponseWriter
	connection *http.ResponseController
	who        callers.Identity
}

// handle adds a route. Who calls, and whether they may, is settled before any of the
// body is read.
func (s *Server) handle(pattern string, may func(*call) error, do func(*call) error) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			s.metrics.requests.WithLabelValues(pattern, strconv.Itoa(recorder.status)).Inc()
			s.metrics.durations.WithLabelValues(pattern).Observe(time.Since(began).Seconds())
		}()
		c := &call{Request: r, answer: recorder, connection: http.NewResponseController(w)}
		if err := s.answer(c, may, do); err != nil {
			s.fail(c, recorder, err)
		}
	})
}

func (s *Server) answer(c *call, may, do func(*call) error) (err error) {
	if err := c.connection.SetWriteDeadline(time.Now().Add(s.config.Limits.RequestLimit)); err != nil {
		return err
	}
	if c.who, err = s.auth.identify(c.Context(), c.Header.Get("Authorization")); err != nil {
		return err
	}
	if err := may(c); err != nil {
		return err
	}
	return do(c)
}

// fail answers with an error. When the answer has begun, breaking the connection is the
// only way left to say that it is not whole.
func (s *Server) fail(c *call, recorder *statusRecorder, err error) {
	if errors.Is(err, errBusy) {
		err = refuse(wire.ReasonUnavailable, "the server is busy")
	}
	told := explain(err)
	if told.reason == wire.ReasonInternal || told.reason == wire.ReasonFull {
		s.config.Log.Error("a request failed", "method", c.Method, "path", c.URL.Path, "user", c.who.Username, "error", err)
	}
	if recorder.begun {
		panic(http.ErrAbortHandler)
	}
	problem := wire.Problem{Error: told.message, Reason: told.reason, Length: told.length}
	if err := c.json(statuses[told.reason], problem); err != nil {
		s.config.Log.Debug("an answer was not sent", "path", c.URL.Path, "error", err)
	}
}

// json answers with a value.
func (c *call) json(status int, value any) error {
	document, err := json.Marshal(value)
	if err != nil {
		return err
	}
	c.answer.Header().Set("Content-Type", "application/json")
	c.answer.WriteHeader(status)
	_, err = c.answer.Write(append(document, '\n'))
	return err
}

// decode reads a small JSON body.
func (c *call) decode(limit int64, into any) error {
	decoder := json.NewDecoder(http.MaxBytesReader(c.answer, c.Body, limit))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return err
		}
		return refuse(wire.ReasonInvalid, "the body is not the JSON that is expected here: %v", err)
	}
	return nil
}

// statusRecorder remembers the status for the metrics, and whether there is one.
type statusRecorder struct {
	http.ResponseWriter
	status int
	begun  bool
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status, r.begun = status, true
	r.ResponseWriter.WriteHeader(status)
}

func (r *statusRecorder) Write(b []byte) (int, error) {
	r.begun = true
	n, err := r.ResponseWriter.Write(b)
	if err != nil {
		return n, fmt.Errorf("send the answer: %w", err)
	}
	return n, nil
}

func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
