package controllers

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
)

func TestWhoWaitsForATurn(t *testing.T) {
	cases := []struct {
		name string
		seen *observed
		want bool
	}{
		{"a run that nobody has looked at", given(), true},
		{"a queued one", given(condition(v1alpha1.ConditionAccepted, "Unknown", "Queued", 0)), true},
		{"one whose turn it is", given(accepted), false},
		{"a refused one", given(condition(v1alpha1.ConditionAccepted, "False", "UnknownStore", 0), condition(v1alpha1.ConditionFailed, "True", "UnknownStore", 0)), false},
		{"a deleted one", given(deleting), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := waits(c.seen.Run); got != c.want {
				t.Errorf("waits = %v, want %v", got, c.want)
			}
		})
	}
}

func TestHowLongARunThatIsNotAdmittedIsWaitedFor(t *testing.T) {
	for name, apiServer := range map[string]time.Duration{"in step": 0, "an hour ahead": time.Hour, "an hour behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{}
			run := given().Run
			run.CreationTimestamp = metav1.NewTime(epoch.Add(apiServer))
			if !r.counts(run, epoch) {
				t.Error("one that nobody has looked at doesn't count")
			}
			r.memories.recall(run, epoch)
			for after, want := range map[time.Duration]bool{0: true, admitGrace - time.Second: true, admitGrace: false} {
				if got := r.counts(run, epoch.Add(after)); got != want {
					t.Errorf("after %s it counts: %v", after, got)
				}
			}
			run.Status.PlanSHA256 = "5e"
			if !r.counts(run, epoch.Add(24*time.Hour)) {
				t.Error("one that was admitted no longer counts")
			}
		})
	}
}

func TestTheQueueSaysBehindWhomARunWaits(t *testing.T) {
	at := func(namespace, name string, second int, changes ...situation) v1alpha1.BenchmarkRun {
		run := given(changes...).Run
		run.Namespace, run.Name, run.UID = namespace, name, types.UID(namespace+"/"+name)
		run.CreationTimestamp, run.Finalizers, run.Status.PlanSHA256 = metav1.Unix(int64(second), 0), []string{finalizer}, "5e"
		return *run
	}
	over := condition(v1alpha1.ConditionComplete, "True", "Finished", 0)
	mine := at("bench", "mine", 10)
	for name, c := range map[string]struct {
		others []v1alpha1.BenchmarkRun
		holder string
		want   string
	}{
		"nobody":                           {nil, "", ""},
		"who has the turn":                 {[]v1alpha1.BenchmarkRun{at("bench", "first", 1, accepted)}, "first", " behind run first"},
		"who came right before":            {[]v1alpha1.BenchmarkRun{at("bench", "c", 3), at("bench", "first", 1, accepted), at("bench", "b", 2)}, "first", " behind run c"},
		"it has the turn meanwhile":        {[]v1alpha1.BenchmarkRun{at("bench", "first", 1, accepted, over), at("bench", "c", 3, accepted)}, "c", " behind run c"},
		"who came later has the turn":      {[]v1alpha1.BenchmarkRun{at("bench", "b", 2), at("bench", "later", 11, accepted)}, "later", " behind run b"},
		"another namespace":                {[]v1alpha1.BenchmarkRun{at("secret", "plans", 1, accepted)}, "plans", " behind a run of namespace secret"},
		"who came later":                   {[]v1alpha1.BenchmarkRun{at("bench", "later", 11)}, "", ""},
		"one that is over":                 {[]v1alpha1.BenchmarkRun{at("bench", "first", 1, accepted, over)}, "", ""},
		"one that lost its Lease, goes on": {[]v1alpha1.BenchmarkRun{at("bench", "first", 1, accepted)}, "", " behind run first"},
		"one that is deleted has its turn": {[]v1alpha1.BenchmarkRun{at("bench", "first", 1, accepted, deleting)}, "first", " behind run first"},
		"one that waits, and was deleted":  {[]v1alpha1.BenchmarkRun{at("bench", "b", 2, deleting)}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []client.Object{mine.DeepCopy()}
			lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kvbench-system", Name: slotLease}}
			for i := range c.others {
				objects = append(objects, &c.others[i])
				if c.others[i].Name == c.holder {
					lease.Spec.HolderIdentity = ptr.To(holder(&c.others[i]))
				}
			}
			r := &Reconciler{
				Client: fake.NewClientBuilder().WithScheme(Scheme()).WithObjects(append(objects, lease)...).Build(),
				Config: Config{Namespace: "kvbench-system"},
			}
			slot, err := r.readSlot(t.Context(), &mine)
			if err != nil || slot.Behind != c.want {
				t.Errorf("%q, %v; want %q", slot.Behind, err, c.want)
			}
		})
	}
}
