package helm

import (
	"fmt"

	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
)

// Values are those that the release's chart renders with: its own, and the release's over them. They
// are merged by what Render and Install merge them with, so they can't be others.
func Values(rel Release) (map[string]any, error) {
	loaded, over, err := load(rel)
	if err != nil {
		return nil, err
	}
	values, err := commonutil.CoalesceValues(loaded, over)
	if err != nil {
		return nil, fmt.Errorf("values of chart %s: %s", loaded.Name(), oneLine(err))
	}
	return values, nil
}
