package validate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/validate/definition"
	"github.com/kvbench/kvbench/internal/editdistance"
)

var ours = []string{definition.Run, definition.Suite}

// checkKind says whether the verb knows such objects. Those of others stand beside runs in many files, and are skipped. One that
// was probably meant to be ours is an error.
func checkKind(kind, apiVersion string) (skipped string, err error) {
	version := v1alpha1.GroupVersion.String()
	isOurs := strings.HasPrefix(apiVersion, v1alpha1.GroupVersion.Group+"/")
	switch {
	case kind == definition.Run || kind == definition.Suite:
		if apiVersion != version {
			return "", fmt.Errorf("its %s has the apiVersion %q: write %s", kind, apiVersion, version)
		}
		return "", nil
	case kind == kindConfigMap && apiVersion == "v1":
		return "", nil
	case kind == "":
		return "", fmt.Errorf("it has no kind: write apiVersion: %s, and kind: %s", version, strings.Join(ours, " or "))
	}
	if near := editdistance.Nearest(kind, ours); near != "" {
		return "", fmt.Errorf("there is no kind %q: did you mean %s?", kind, near)
	}
	if isOurs {
		return "", fmt.Errorf("there is no kind %q: write %s", kind, strings.Join(ours, " or "))
	}
	return fmt.Sprintf("objects of the kind %s are not kvbench's", kind), nil
}

// errNothing is of files without any run or suite.
var errNothing = errors.New("nothing was checked: no file has a BenchmarkRun or a BenchmarkSuite; kubectl kvbench init writes one")
