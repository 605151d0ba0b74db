package results

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// merge is one making of a run's report, beside the requests. All that ask for the report wait for
// the same one, and it goes on when they have gone.
type merge struct {
	ended chan struct{} // closed at the end
	err   error         // of the end
}

// begin finds the run's merge, or begins it.
func (s *Server) begin(r *run) *merge {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.merge == nil {
		m := &merge{ended: make(chan struct{})}
		r.merge = m
		s.background.Go(func() {
			defer close(m.ended)
			m.err = s.makeReport(s.life, r)
		})
	}
	return r.merge
}

// told forgets a merge of whose end a caller is told, so that the next to ask begins another one. Until
// then the end stays: whoever asks again must not have it made again.
func (r *run) told(m *merge) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.merge == m {
		r.merge = nil
	}
}

// makeReport waits for a slot before it holds anything of the run.
func (s *Server) makeReport(ctx context.Context, r *run) error {
	if !r.hasReport() {
		release, err := take(ctx, s.merges)
		if err != nil {
			return err
		}
		defer release()
	}
	err := r.report(ctx, s.config.Report)
	if ctx.Err() != nil {
		return errBusy // the server ends
	}
	if err == nil {
		s.figures.Wake()
	}
	return err
}

// postReport answers with the report's own bytes, or within the time that the caller waits that it
// is still being made.
func (s *Server) postReport(c *call) error {
	r, err := s.run(c)
	if err != nil {
		return err
	}
	wait, err := waitOf(c.URL.Query().Get("waitMillis"))
	if err != nil {
		return err
	}
	m := s.begin(r)
	patience := time.NewTimer(wait)
	defer patience.Stop()
	select {
	case <-m.ended:
	case <-patience.C:
		return refuse(wire.ReasonMerging, "the report of run %s is being made: ask again", r.uid)
	case <-c.Context().Done():
		return errBusy
	}
	r.told(m)
	if m.err != nil {
		return m.err
	}
	return s.sendFile(c, r.path(bundle.ReportFile), served[bundle.ReportFile])
}
