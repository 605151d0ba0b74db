package controllers

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
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
	o := given(ownChart(func(o *observed) {
		o.Plan.Store.OwnChart.Ready = []plan.Ready{{APIVersion: "db.example.com/v1", Kind: "Database", Name: "run-1"}}
	}))
	r := &Reconciler{Releases: func(string, string) (Releaser, client.Client, error) { return nil, unreadable{}, nil }}
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
	if d := decide(o); d.Verb != doFail || !strings.Contains(d.Message, want) {
		t.Errorf("%s, %q", d.Verb, d.Message)
	}
}

// ownChart is a run of a chart that it brought, with its release installed.
func ownChart(change func(*observed)) situation {
	return func(o *observed) {
		accepted(o)
		o.Run.Spec.Store.Chart = &v1alpha1.ChartSpec{}
		o.Plan.Store.OwnChart = &plan.OwnChart{}
		o.Store = storeState{Release: releaseDeployed, ReadyMembers: len(o.Plan.Store.Members), ObserverReady: true}
		change(o)
	}
}

func TestAnOwnChartIsReadyWhenItsResourcesSaySo(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*observed)
		want   verb
		says   string
	}{
		"all is well":       {func(*observed) {}, doStoreReady, "all members are ready"},
		"a resource is not": {func(o *observed) { o.Store.Unready = "Hazelcast x: pending" }, doWait, "the observer sees them: Hazelcast x: pending"},
		"nor at the deadline": {func(o *observed) {
			o.Store.Unready = "Hazelcast x: pending"
			o.Now = o.Now.Add(time.Hour)
		}, doFail, "members were ready after 10m0s: Hazelcast x: pending"},
		"a resource that was never made, at the deadline": {func(o *observed) {
			o.Store.Release, o.Store.Unready, o.Store.Trouble = releaseBroken, "there is no Hazelcast x yet", "pod observer: Error"
			condition(v1alpha1.ConditionStoreReady, "Unknown", reasonInstallFailed, 0)(o)
			o.Run.Status.Conditions[len(o.Run.Status.Conditions)-1].Message = "the release could not be installed yet: a Service exists"
			o.Now = o.Now.Add(time.Hour)
		}, doFail, "members were ready after 10m0s: the release could not be installed yet: a Service exists"},
		"an installation that is removed": {func(o *observed) {
			o.Store.Release, o.StoreLeft = releaseAbsent, 1
			condition(v1alpha1.ConditionStoreReady, "Unknown", reasonInstallFailed, 0)(o)
			o.Run.Status.Conditions[len(o.Run.Status.Conditions)-1].Message = "a Service exists"
		}, doWait, clearingMessage + ": a Service exists"},
		"one that is still removed at the deadline": {func(o *observed) {
			o.Store = storeState{Release: releaseAbsent, ObserverReady: true}
			o.StoreLeft = 1
			condition(v1alpha1.ConditionStoreReady, "Unknown", reasonClearing, 0)(o)
			o.Memory.InstallTrouble = "a Service exists"
			o.Now = o.Now.Add(time.Hour)
		}, doFail, "members were ready after 10m0s: a Service exists"},
		"the observer doesn't see ready members": {func(o *observed) { o.Store.ObserverReady = false }, doWait, ""},
		"what it saw at the deadline": {func(o *observed) {
			o.Store.ObserverReady = false
			condition(v1alpha1.ConditionStoreReady, "Unknown", reasonNotSteady, 0)(o)
			o.Run.Status.Conditions[len(o.Run.Status.Conditions)-1].Message = "they ask for a password"
			o.Now = o.Now.Add(time.Hour)
		}, doFail, "and the observer was not ready: they ask for a password"},
		"a member that isn't ready": {func(o *observed) { o.Store.ReadyMembers, o.Store.ObserverReady = 1, false }, doWait, deployingMessage},
		"its faults can't hit the members": {func(o *observed) {
			o.Store.Unfit = refusal{"ContainerMissing", "no container"}
		}, doFail, "no container"},
		"it waits for what is being removed": {func(o *observed) { o.Store.Release, o.StoreLeft = releaseAbsent, 1 }, doWait, "is being removed"},
	} {
		t.Run(name, func(t *testing.T) {
			o := given(ownChart(c.change))
			d := decide(o)
			if asks := d.Question == askSample; asks != (name == "the observer doesn't see ready members") {
				t.Errorf("the observer is asked: %v", asks)
			} else if asks {
				o.Asked.Sample = &memberSample{Trouble: "it is starting"}
				d = decide(o)
			}
			if d.Verb != c.want || !strings.Contains(d.Message, c.says) {
				t.Errorf("%s, %q, want %s with %q", d.Verb, d.Message, c.want, c.says)
			}
			if d.Verb == doWait && (d.After <= 0 || d.After > ownChartLook) {
				t.Errorf("it looks again after %v, and nothing tells of an operator's pods", d.After)
			}
		})
	}
}

func TestFaultsOnAnOwnChartAreJudgedBeforeAnythingIsMeasured(t *testing.T) {
	for name, c := range map[string]struct {
		labels     map[string]string
		container  string
		allowed    bool
		faults     situation
		want, says string
	}{
		"the release's own pods":                    {nil, "etcd", false, withFault, "", ""},
		"of another container":                      {nil, "server", false, withFault, "ContainerMissing", "it has: server"},
		"of another container, without faults":      {nil, "server", false, func(*observed) {}, "", ""},
		"an operator's pods":                        {map[string]string{}, "etcd", false, withFault, reasonFaultsForbidden, "set spec.store.allowFaults to true"},
		"an operator's pods, without faults":        {map[string]string{}, "etcd", false, func(*observed) {}, "", ""},
		"an operator's pods, where they may be hit": {map[string]string{}, "etcd", true, withFault, "", ""},
		"another run's pods":                        {map[string]string{labelUID: "another", labelRole: roleStore}, "etcd", false, withFault, reasonFaultsForbidden, "x-0"},
	} {
		t.Run(name, func(t *testing.T) {
			o := given(ownChart(c.faults))
			o.Plan.Store.Container, o.Plan.Store.Driver, o.Run.Spec.Store.AllowFaults = "etcd", "etcd", c.allowed
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "x-0", Labels: c.labels}}
			if c.labels == nil {
				pod.Labels = runLabels(o.Run, roleStore)
			}
			pod.Spec.Containers = []corev1.Container{{Name: c.container}}
			if got := unfit(o, pod, plan.Member{Name: "x-0"}); got.Reason != c.want || !strings.Contains(got.Message, c.says) {
				t.Errorf("%+v, want %s with %q", got, c.want, c.says)
			}
		})
	}
}
