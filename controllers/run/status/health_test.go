package status

import (
	"os"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

// What Flux (by kstatus) and Argo CD (by the script that is shipped) make of a run.
func TestOthersSeeHowARunStands(t *testing.T) {
	script, err := os.ReadFile("../../../config/argocd/benchmarkrun.lua")
	if err != nil {
		t.Fatal(err)
	}
	complete := statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", 0)
	for _, c := range []struct {
		name    string
		seen    *state.Observed
		kstatus status.Status
		argo    string
	}{
		{"new", statetest.Given(), status.InProgressStatus, "Progressing"},
		{"waiting for its turn", statetest.Given(statetest.Planned), status.InProgressStatus, "Progressing"},
		{"deploying", statetest.Given(statetest.Accepted), status.InProgressStatus, "Progressing"},
		{"measuring", statetest.Given(statetest.Measuring(0)), status.InProgressStatus, "Progressing"},
		{"tearing down", statetest.Given(statetest.Reported), status.InProgressStatus, "Progressing"},
		{"failing", statetest.Given(statetest.Accepted, statetest.Condition(ConditionFailing, "True", "DeployTimedOut", 0)), status.InProgressStatus, "Progressing"},
		{"failed", statetest.Given(statetest.Accepted, statetest.Condition(v1alpha1.ConditionFailed, "True", "DeployTimedOut", 0)), status.FailedStatus, "Degraded"},
		{"refused", statetest.Given(statetest.Condition(v1alpha1.ConditionFailed, "True", "UnknownStore", 0)), status.FailedStatus, "Degraded"},
		{"complete and valid", statetest.Given(statetest.Reported, complete, statetest.Condition(v1alpha1.ConditionValid, "True", "NothingFound", 0)), status.CurrentStatus, "Healthy"},
		{"complete, valid and passed", statetest.Given(statetest.Reported, complete, statetest.Condition(v1alpha1.ConditionValid, "True", "NothingFound", 0), statetest.Condition(v1alpha1.ConditionPassed, "True", "ObjectivesKept", 0)), status.CurrentStatus, "Healthy"},
		{"complete, with an objective missed", statetest.Given(statetest.Reported, complete, statetest.Condition(v1alpha1.ConditionValid, "True", "NothingFound", 0), statetest.Condition(v1alpha1.ConditionPassed, "False", "ObjectivesMissed", 0)), status.FailedStatus, "Degraded"},
		{"complete, and nobody can tell whether objectives are kept", statetest.Given(statetest.Reported, complete, statetest.Condition(v1alpha1.ConditionValid, "True", "NothingFound", 0), statetest.Condition(v1alpha1.ConditionPassed, "Unknown", "ObjectivesUnknown", 0)), status.FailedStatus, "Degraded"},
		{"complete, and not valid", statetest.Given(statetest.Reported, complete, statetest.Condition(v1alpha1.ConditionValid, "False", "GeneratorLag", 0)), status.FailedStatus, "Degraded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := c.seen.Run
			run.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkRun"}
			run.Generation = 1
			// Twice, as passes do: what an earlier one set must not stay.
			Summarize(run)
			Summarize(run)
			object := asObject(t, run)

			got, err := status.Compute(&unstructured.Unstructured{Object: object})
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != c.kstatus {
				t.Errorf("kstatus says %s (%s), want %s", got.Status, got.Message, c.kstatus)
			}
			if got := argoHealth(t, string(script), object); got != c.argo {
				t.Errorf("Argo CD says %s, want %s", got, c.argo)
			}
		})
	}
}

func TestArgoWaitsForTheFirstStatus(t *testing.T) {
	script, err := os.ReadFile("../../../config/argocd/benchmarkrun.lua")
	if err != nil {
		t.Fatal(err)
	}
	run := asObject(t, statetest.Given().Run)
	if got := argoHealth(t, string(script), run); got != "Progressing" {
		t.Errorf("a run without a status is %s", got)
	}
}

func asObject(t *testing.T, run *v1alpha1.BenchmarkRun) map[string]any {
	t.Helper()
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(run)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// argoHealth runs a health check as Argo CD does: with obj as a table, for the table that
// it returns.
func argoHealth(t *testing.T, script string, object map[string]any) string {
	t.Helper()
	state := lua.NewState()
	defer state.Close()
	state.SetGlobal("obj", luaValue(state, object))
	if err := state.DoString(script); err != nil {
		t.Fatal(err)
	}
	health, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("the script returned %s", state.Get(-1).Type())
	}
	return health.RawGetString("status").String()
}

func luaValue(state *lua.LState, value any) lua.LValue {
	switch typed := value.(type) {
	case map[string]any:
		table := state.NewTable()
		for key, element := range typed {
			table.RawSetString(key, luaValue(state, element))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, element := range typed {
			table.Append(luaValue(state, element))
		}
		return table
	case string:
		return lua.LString(typed)
	case int64:
		return lua.LNumber(typed)
	case bool:
		return lua.LBool(typed)
	}
	return lua.LNil
}
