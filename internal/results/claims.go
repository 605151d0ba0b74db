package results

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// claim gives a pod its role, workload and index. A measuring worker's is given once,
// because a Job can start a pod twice and a measurement must not be made twice; loaders
// and observers are retried, so each of their pods gets it. Asking again is harmless.
func (r *run) claim(w bundle.Writer, pod string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, held := range r.claims {
		if held.Writer == w {
			return nil
		}
	}
	if err := r.open(); err != nil {
		return err
	}
	for _, held := range r.claims {
		if w.Role == bundle.RoleWorker && held.Role == w.Role && held.Workload == w.Workload && held.Index == w.Index {
			return refuse(wire.ReasonClaimed, "worker %d of workload %q is the pod %s (%s), and a measurement is made once",
				w.Index, w.Workload, held.Pod, held.PodUID)
		}
	}
	if len(r.claims) >= r.limits.ClaimsPerRun {
		return refuse(wire.ReasonTooLarge, "the run %s has %d claims, and takes no more", r.uid, len(r.claims))
	}
	made := bundle.Claim{Writer: w, Pod: pod, AtUnixNanos: r.now().UnixNano()}
	claims := append(slices.Clone(r.claims), made)
	lines, err := linesOf(claims)
	if err != nil {
		return err
	}
	held, _, err := fileLength(r.path(bundle.ClaimsFile))
	if err != nil {
		return err
	}
	// Not appended: of a sync that failed nobody could say what of the line is on the disk.
	if err := r.failedSyncs.note(bundle.ClaimsFile, r.disk.replace(r.dir, bundle.ClaimsFile, bytes.NewReader(lines))); err != nil {
		return err
	}
	r.claims = claims
	r.bytes += int64(len(lines)) - held
	r.touched = r.ages.now()
	return nil
}

func linesOf(claims []bundle.Claim) ([]byte, error) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, claim := range claims {
		if err := encoder.Encode(claim); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}

// checkWriter refuses a writer that the plan doesn't know.
func (f facts) checkWriter(w bundle.Writer) error {
	if w.Role == bundle.RoleObserver || w.Role == bundle.RoleKubelet {
		if w.Workload != "" || w.Index != 0 {
			return refuse(wire.ReasonInvalid, "the role %s has no workload and no index", w.Role)
		}
		return nil
	}
	if w.Role != bundle.RoleReset && w.Role != bundle.RoleLoad && w.Role != bundle.RoleWorker {
		return refuse(wire.ReasonInvalid, "the role %q is none of %s, %s, %s, %s, %s", w.Role, bundle.RoleReset, bundle.RoleLoad, bundle.RoleWorker, bundle.RoleObserver, bundle.RoleKubelet)
	}
	workload, ok := f.workloads[w.Workload]
	if !ok {
		return refuse(wire.ReasonInvalid, "the run %s has no workload %q", f.uid, w.Workload)
	}
	if w.Index < 0 || w.Index >= workload.workers {
		return refuse(wire.ReasonInvalid, "workload %q has %d workers, so none with index %d", w.Workload, workload.workers, w.Index)
	}
	return nil
}
