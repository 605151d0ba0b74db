package act

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	results "github.com/kvbench/kvbench/internal/results/client"
)

// askAgain is the pause before the server is asked again for a report that it is making; it lets
// each request wait for some seconds.
const askAgain = time.Second

// collect tells the results server how the faults went, has it merge the report, and
// takes the summary into the status. Both are harmless when repeated. A merge may take minutes, and the
// controller has other runs: it asks again.
func (r *Actor) collect(ctx context.Context, o *state.Observed) (again time.Duration, err error) {
	failed := status.IsTrue(o.Run, status.ConditionFailing)
	made, err := r.makeReport(ctx, o)
	_, late := decide.TriedToCollect(o)
	switch {
	case err == nil:
		noteReport(o, r.Config.ResultsURL, made)
	case results.Transient(err) && !(failed && late):
		if errors.Is(err, results.ErrMerging) {
			status.SetCondition(o.Run, v1alpha1.ConditionReported, metav1.ConditionUnknown, status.ReasonMerging, "the results server merges the files of the workers")
			return askAgain, nil
		}
		return 0, notStored(o, fmt.Errorf("making the report: %w", err))
	case !failed:
		failing(o, decide.Fail("ReportFailed", "the report could not be made: %v", err))
	default:
		status.SetCondition(o.Run, v1alpha1.ConditionReported, metav1.ConditionFalse, "NotMerged", message.Cut("the run failed, and no report could be made: "+err.Error(), 1024))
	}
	return 0, nil
}

// noteReport takes what a report says into the status.
func noteReport(o *state.Observed, resultsURL string, made *report.Report) {
	uid := string(o.Run.UID)
	o.Run.Status.Report = &v1alpha1.ReportReference{Location: "/v1/runs/" + uid, URL: resultsURL + "/v1/runs/" + uid + "/report.json"}
	status.SummarizeReport(o.Run, made)
	o.Run.Status.InvalidReasons = nil
	for _, found := range made.InvalidReasons {
		if !slices.Contains(o.Run.Status.InvalidReasons, found.Reason) {
			o.Run.Status.InvalidReasons = append(o.Run.Status.InvalidReasons, found.Reason)
		}
	}
	if made.Valid {
		status.SetCondition(o.Run, v1alpha1.ConditionValid, metav1.ConditionTrue, "NothingFound", "the generator and the faults did what they should")
	} else {
		first := made.InvalidReasons[0]
		status.SetCondition(o.Run, v1alpha1.ConditionValid, metav1.ConditionFalse, first.Reason, first.Message)
	}
	status.NoteVerdict(o.Run, made)
	status.SetCondition(o.Run, v1alpha1.ConditionReported, metav1.ConditionTrue, "Stored", "the report is at the results server")
}

// merging says that an earlier pass has sent everything, and the server makes the report.
func merging(o *state.Observed) bool {
	reported := meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionReported)
	return reported != nil && reported.Reason == status.ReasonMerging
}

func (r *Actor) makeReport(ctx context.Context, o *state.Observed) (*report.Report, error) {
	if !merging(o) {
		where, err := r.environment(ctx, o)
		if err != nil {
			return nil, err
		}
		// No run fails since its report lacks this, as with a results server that doesn't know it yet.
		if err := r.Results.PutEnvironment(ctx, string(o.Run.UID), where); err != nil && results.Transient(err) {
			return nil, fmt.Errorf("sending where pods were: %w", err)
		}
	}
	lines, err := FaultLines(o)
	if err != nil {
		return nil, err
	}
	if err := r.Results.PutFaults(ctx, string(o.Run.UID), lines); err != nil {
		return nil, fmt.Errorf("sending the faults: %w", err)
	}
	text, err := r.Results.MakeReport(ctx, string(o.Run.UID))
	if err != nil {
		return nil, err
	}
	made := &report.Report{}
	if err := json.Unmarshal(text, made); err != nil {
		return nil, fmt.Errorf("reading the report: %w", err)
	}
	return made, nil
}

// FaultLines writes faults.jsonl from the status alone, so that it is the same each time.
func FaultLines(o *state.Observed) ([]byte, error) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, fault := range o.Plan.Faults {
		noted := status.FindFault(o.Run, fault.Name)
		sides := status.SidesOf(noted)
		line := bundle.FaultLine{
			Name: fault.Name, Workload: fault.Workload, Action: fault.Action,
			Target: sides.Sole(), Targets: sides.Targets, Peers: sides.Peers, Role: fault.Target.Role,
			RequestedUnixNanos:      noted.RequestedUnixNanos,
			DurationMillis:          fault.DurationMillis,
			InjectedAfterUnixNanos:  noted.InjectedAfterUnixNanos,
			InjectedBeforeUnixNanos: noted.InjectedBeforeUnixNanos,
			EndedAfterUnixNanos:     noted.EndedAfterUnixNanos,
			EndedBeforeUnixNanos:    noted.EndedBeforeUnixNanos,
			LeaderBefore:            noted.LeaderBefore, TermBefore: uint64(noted.TermBefore),
			ClockBoundNanos: noted.ClockBoundNanos,
			Late:            noted.Late, Reason: noted.Reason, Error: noted.Message,
		}
		if err := encoder.Encode(line); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}
