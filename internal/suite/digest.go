package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// Digest is of all in a suite's spec that its runs and its verdict follow from, so that a change of it is seen. The API server compares the
// parts of a spec that have no schema by the names that both have. So some changes get past its rules.
func Digest(spec *v1alpha1.BenchmarkSuiteSpec) (string, error) {
	parts := []any{spec.Template, spec.Axes, spec.Exclude, spec.Seed, spec.Retries}
	if spec.Compare != nil { // so that suites without it have the digest of earlier versions
		parts = append(parts, spec.Compare)
	}
	if spec.Reuse != "" { // likewise
		parts = append(parts, spec.Reuse)
	}
	if spec.Search != nil {
		parts = append(parts, spec.Search)
	}
	document, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("writing the suite's spec: %w", err)
	}
	sum := sha256.Sum256(document)
	return hex.EncodeToString(sum[:]), nil
}
