package observe

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/plan"
)

func TestAResourceSaysWhyTheStoreIsNotReady(t *testing.T) {
	available := plan.Ready{Kind: "EtcdCluster", Name: "run-1", Condition: "Available", Status: "True"}
	running := plan.Ready{Kind: "Hazelcast", Name: "run-1", Field: "phase", Equals: "Running"}
	deeper := plan.Ready{Kind: "Hazelcast", Name: "run-1", Field: "hazelcastClusterStatus.readyMembers", Equals: "3/3"}
	condition := func(fields string) string {
		return "metadata: {generation: 2}\nstatus: {conditions: [{type: Progressing, status: 'False'}, {type: Available, " + fields + "}]}"
	}
	for name, c := range map[string]struct {
		wanted       plan.Ready
		object, want string
	}{
		"it is available":               {available, condition("status: 'True', observedGeneration: 2"), ""},
		"it doesn't say which":          {available, condition("status: 'True'"), ""},
		"of an earlier generation":      {available, condition("status: 'True', observedGeneration: 1"), "EtcdCluster run-1: its condition Available is of an earlier generation"},
		"it is not":                     {available, condition("status: 'False', reason: NoQuorum, message: 1 of 3"), `EtcdCluster run-1: its condition Available is "False" (NoQuorum): 1 of 3`},
		"it says nothing":               {available, "status: {}", "EtcdCluster run-1 has no condition Available yet"},
		"it says nonsense":              {available, "status: {conditions: [7, {type: 7}, {type: Available, status: {}}]}", `condition Available is "" ()`},
		"its conditions are a text":     {available, "status: {conditions: Available}", "has no condition Available yet"},
		"it writes to the terminal":     {available, condition(`status: 'False', message: "\e[31mred\nline"`), "\uFFFD[31mred line"},
		"it is going":                   {available, "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}\nstatus: {conditions: [{type: Available, status: 'True'}]}", "is being deleted"},
		"it runs":                       {running, "status: {phase: Running}", ""},
		"it doesn't run":                {running, "status: {phase: Failed, message: no license}", `Hazelcast run-1: its status.phase is "Failed", not "Running": no license`},
		"it has no phase":               {running, "status: {}", "Hazelcast run-1 has no status.phase yet"},
		"its phase is no text":          {running, "status: {phase: {}}", "its status.phase is no text"},
		"a field below another":         {deeper, "status: {hazelcastClusterStatus: {readyMembers: 3/3}}", ""},
		"a field below one that is not": {deeper, "status: {hazelcastClusterStatus: 3}", "is no text"},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			// As the API server gives it: numbers are integers.
			text, err := yaml.YAMLToJSON([]byte("apiVersion: a/v1\nkind: A\n" + c.object))
			if err := errors.Join(err, object.UnmarshalJSON(text)); err != nil {
				t.Fatal(err)
			}
			got := unready(c.wanted, object)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.ContainsAny(got, "\n\x1b") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	long := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"phase": "Failed", "message": strings.Repeat("long ", 1000)}}}
	if got := unready(running, long); len(got) > 500 {
		t.Errorf("%d bytes", len(got))
	}
}

// unreadable answers as an API server whose conversion webhook is gone.
type unreadable struct{ client.Client }

func (unreadable) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return apierrors.NewInternalError(errors.New("conversion webhook failed: dial tcp 10.0.0.7:50412->10.0.0.1:443: connection refused"))
}

// A pass that ended there would look at no deadline, and the run would hold the queue for ever.
func TestAResourceThatCannotBeReadKeepsNoRunFromItsEnd(t *testing.T) {
	o := statetest.Given(statetest.OwnChart(func(o *state.Observed) {
		o.Plan.Store.OwnChart.Ready = []plan.Ready{{APIVersion: "db.example.com/v1", Kind: "Database", Name: "run-1"}}
	}))
	r := &Reader{Set: clients.Set{Releases: func(string, string) (clients.Releaser, client.Client, error) { return nil, unreadable{}, nil }}}
	if err := r.readOwnResources(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	const want = "Database run-1 can't be read: "
	if !strings.HasPrefix(o.Store.Unready, want) || strings.Contains(o.Store.Unready, "50412") {
		t.Errorf("%q", o.Store.Unready)
	}
	if !slices.Equal(o.Left, []string{"Database run-1"}) || o.StoreLeft != 1 {
		t.Errorf("left: %v, %d", o.Left, o.StoreLeft)
	}
	o.Now = o.Now.Add(time.Hour)
	if d := decide.Decide(o); d.Verb != decide.DoFail || !strings.Contains(d.Message, want) {
		t.Errorf("%s, %q", d.Verb, d.Message)
	}
}
