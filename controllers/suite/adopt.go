package suite

import (
	"context"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/suite/decide"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// adoption is what the suite takes over from an earlier one of its name; nil if it isn't to take anything over. The results
// server finds it by the fingerprints of the combinations' plans when the suite is admitted, and keeps it. A process that
// doesn't know it asks again, without fingerprints, and gets the same.
func (r *Reconciler) adoption(ctx context.Context, of *v1alpha1.BenchmarkSuite, combinations []suite.Combination, fingerprints []string) (*manifest.Adoption, error) {
	if !of.Spec.Adopt {
		return nil, nil
	}
	key := client.ObjectKeyFromObject(of)
	if known := r.memories.adoption(key, of.UID); known != nil {
		return known, nil
	}
	state, err := stateOf(of, combinations)
	if err != nil {
		return nil, err
	}
	document, err := json.Marshal(manifestOf(state, &decide.Progress{}, false))
	if err != nil {
		return nil, fmt.Errorf("writing the manifest: %w", err)
	}
	answer, err := r.Results.Adopt(ctx, string(of.UID), wire.AdoptionRequest{Manifest: document, Fingerprints: fingerprints, Seed: given(of.Spec.Seed)})
	if err != nil {
		return nil, fmt.Errorf("asking the results server for the runs of an earlier suite: %w", err)
	}
	a := &manifest.Adoption{}
	if err := json.Unmarshal(answer, a); err != nil {
		return nil, fmt.Errorf("reading what the results server says of an earlier suite: %w", err)
	}
	r.memories.adopt(key, of.UID, a)
	return a, nil
}

// given is a seed that the spec has; nil if it has none.
func given(seed *int64) *uint64 {
	if seed == nil {
		return nil
	}
	value := uint64(*seed)
	return &value
}
