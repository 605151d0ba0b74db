package observe

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

func TestHowLongARunThatIsNotAdmittedIsWaitedFor(t *testing.T) {
	for name, apiServer := range map[string]time.Duration{"in step": 0, "an hour ahead": time.Hour, "an hour behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			var first time.Time
			r := &Reader{FirstSeen: func(*v1alpha1.BenchmarkRun) time.Time { return first }}
			run := statetest.Given().Run
			run.CreationTimestamp = metav1.NewTime(statetest.Epoch.Add(apiServer))
			if !r.Counts(run, statetest.Epoch) {
				t.Error("one that nobody has looked at doesn't count")
			}
			first = statetest.Epoch
			for after, want := range map[time.Duration]bool{0: true, state.AdmitGrace - time.Second: true, state.AdmitGrace: false} {
				if got := r.Counts(run, statetest.Epoch.Add(after)); got != want {
					t.Errorf("after %s it counts: %v", after, got)
				}
			}
			run.Status.PlanSHA256 = "5e"
			if !r.Counts(run, statetest.Epoch.Add(24*time.Hour)) {
				t.Error("one that was admitted no longer counts")
			}
		})
	}
}

func TestTheQueueSaysBehindWhomARunWaits(t *testing.T) {
	at := func(namespace, name string, second int, changes ...statetest.Situation) v1alpha1.BenchmarkRun {
		run := statetest.Given(changes...).Run
		run.Namespace, run.Name, run.UID = namespace, name, types.UID(namespace+"/"+name)
		run.CreationTimestamp, run.Finalizers, run.Status.PlanSHA256 = metav1.Unix(int64(second), 0), []string{names.Finalizer}, "5e"
		return *run
	}
	over := statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", 0)
	mine := at("bench", "mine", 10)
	for name, c := range map[string]struct {
		others []v1alpha1.BenchmarkRun
		holder string
		want   string
	}{
		"nobody":                           {nil, "", ""},
		"who has the turn":                 {[]v1alpha1.BenchmarkRun{at("bench", "first", 1, statetest.Accepted)}, "first", " behind run first"},
		"who came right before":            {[]v1alpha1.BenchmarkRun{at("bench", "c", 3), at("bench", "first", 1, statetest.Accepted), at("bench", "b", 2)}, "first", " behind run c"},
		"it has the turn meanwhile":        {[]v1alpha1.BenchmarkRun{at("bench", "first", 1, statetest.Accepted, over), at("bench", "c", 3, statetest.Accepted)}, "c", " behind run c"},
		"who came later has the turn":      {[]v1alpha1.BenchmarkRun{at("bench", "b", 2), at("bench", "later", 11, statetest.Accepted)}, "later", " behind run b"},
		"another namespace":                {[]v1alpha1.BenchmarkRun{at("secret", "plans", 1, statetest.Accepted)}, "plans", " behind a run of namespace secret"},
		"who came later":                   {[]v1alpha1.BenchmarkRun{at("bench", "later", 11)}, "", ""},
		"one that is over":                 {[]v1alpha1.BenchmarkRun{at("bench", "first", 1, statetest.Accepted, over)}, "", ""},
		"one that lost its Lease, goes on": {[]v1alpha1.BenchmarkRun{at("bench", "first", 1, statetest.Accepted)}, "", " behind run first"},
		"one that is deleted has its turn": {[]v1alpha1.BenchmarkRun{at("bench", "first", 1, statetest.Accepted, statetest.Deleting)}, "first", " behind run first"},
		"one that waits, and was deleted":  {[]v1alpha1.BenchmarkRun{at("bench", "b", 2, statetest.Deleting)}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []client.Object{mine.DeepCopy()}
			lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kvbench-system", Name: names.SlotLease}}
			for i := range c.others {
				objects = append(objects, &c.others[i])
				if c.others[i].Name == c.holder {
					lease.Spec.HolderIdentity = ptr.To(names.Holder(&c.others[i]))
				}
			}
			r := &Reader{Set: clients.Set{
				Client: fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(append(objects, lease)...).Build(),
				Config: clients.Config{Namespace: "kvbench-system"},
			}}
			slot, err := r.readSlot(t.Context(), &mine)
			if err != nil || slot.Behind != c.want {
				t.Errorf("%q, %v; want %q", slot.Behind, err, c.want)
			}
		})
	}
}
