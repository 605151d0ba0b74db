package objects

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/plan"
)

// templates are those of all pods that a run makes, but the store's.
func templates(o *state.Observed) map[string]corev1.PodTemplateSpec {
	r := &Maker{}
	all := map[string]corev1.PodTemplateSpec{names.RoleObserver: r.Observer(o.Run, o.Plan).Spec.Template}
	for _, role := range []string{names.RoleReset, names.RoleLoad, names.RoleWorker} {
		all[role] = r.Job(o.Run, o.Plan, &o.Plan.Workloads[0], role).Spec.Template
	}
	return all
}

func TestNoAutoscalerMovesAPodOfARun(t *testing.T) {
	for role, template := range templates(statetest.Given(statetest.Planned)) {
		for annotation, want := range map[string]string{
			"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
			"karpenter.sh/do-not-disrupt":                    "true",
		} {
			if got := template.Annotations[annotation]; got != want {
				t.Errorf("%s: %s is %q, want %q", role, annotation, got, want)
			}
		}
		scraped := role == names.RoleWorker || role == names.RoleObserver
		if got := template.Annotations["prometheus.io/scrape"] == "true"; got != scraped {
			t.Errorf("%s is scraped: %t, want %t", role, got, scraped)
		}
	}
}

// What they recorded and the results server lacks is lost with them.
func TestPodsMayEndInOrderBeforeTheyAreKilled(t *testing.T) {
	for role, template := range templates(statetest.Given(statetest.Planned)) {
		if grace := time.Duration(*template.Spec.TerminationGracePeriodSeconds) * time.Second; grace < plan.LastShipping+5*time.Second {
			t.Errorf("%s: killed after %s, of which shipping may take %s", role, grace, plan.LastShipping)
		}
	}
}

// Without pod before it, load is that of the stand-alone client, which takes other options.
func TestPodsCallTheCommandsOfPods(t *testing.T) {
	for role, name := range map[string]string{names.RoleReset: "reset", names.RoleLoad: "load", names.RoleWorker: "measure", names.RoleObserver: "observe"} {
		command := templates(statetest.Given(statetest.Planned))[role].Spec.Containers[0].Command
		if want := []string{"/kvbench-loadgen", "pod", name, "--plan"}; !slices.Equal(command[:4], want) {
			t.Errorf("%s: the command is %q, want %q …", role, command, want)
		}
	}
}

// The observer and runs without files have no such volume: there is no such ConfigMap.
func TestTheJobsOfARunHaveItsFiles(t *testing.T) {
	for _, files := range [][]plan.File{nil, {{Name: "traces_day.csv"}}} {
		o := statetest.Given(statetest.Planned)
		o.Plan.Files = files
		for role, template := range templates(o) {
			pod := template.Spec
			mounted := slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "files" && m.MountPath == filesFolder }) &&
				slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool {
					return v.Name == "files" && v.ConfigMap.Name == names.RunID(o.Run)+"-files"
				})
			command := strings.Join(pod.Containers[0].Command, " ")
			want := len(files) > 0 && role != names.RoleObserver
			if told := strings.HasSuffix(command, "--files "+filesFolder); told != want || mounted != want {
				t.Errorf("%s, with %d files: mounted %t, and called as %s", role, len(files), mounted, command)
			}
		}
	}
}

// The kubelet renews a token when 80 % of its life are over, by the node's clock.
func TestATokenIsRenewedInTimeByANodeThatIsAnHourBehind(t *testing.T) {
	for role, template := range templates(statetest.Given(statetest.Planned)) {
		for _, volume := range template.Spec.Volumes {
			if volume.Projected == nil {
				continue
			}
			life := time.Duration(*volume.Projected.Sources[0].ServiceAccountToken.ExpirationSeconds) * time.Second
			if renewed := life*8/10 + time.Hour; renewed >= life {
				t.Errorf("%s: a token of %s is renewed after %s", role, life, renewed)
			}
		}
	}
}

func TestWhatNothingIsSaidOfKeepsItsDefault(t *testing.T) {
	list := func(cpu, memory string) corev1.ResourceList {
		list := corev1.ResourceList{}
		for name, text := range map[corev1.ResourceName]string{corev1.ResourceCPU: cpu, corev1.ResourceMemory: memory} {
			if text != "" {
				list[name] = resource.MustParse(text)
			}
		}
		return list
	}
	for _, c := range []struct {
		role         string
		asked        v1alpha1.ResourcesSpec
		requestsWant corev1.ResourceList
	}{
		{names.RoleWorker, v1alpha1.ResourcesSpec{}, list("500m", "96Mi")},
		{names.RoleLoad, v1alpha1.ResourcesSpec{}, list("50m", "96Mi")},
		{names.RoleWorker, v1alpha1.ResourcesSpec{Requests: list("2", "")}, list("2", "96Mi")},
		{names.RoleWorker, v1alpha1.ResourcesSpec{Limits: list("", "64Mi")}, list("500m", "")},
		{names.RoleWorker, v1alpha1.ResourcesSpec{Requests: list("", "128Mi"), Limits: list("1", "256Mi")}, list("", "128Mi")},
	} {
		o := statetest.Given(statetest.Planned)
		o.Run.Spec.Load.Resources = &c.asked
		got := (&Maker{}).Job(o.Run, o.Plan, &o.Plan.Workloads[0], c.role).Spec.Template.Spec.Containers[0].Resources
		if !equality.Semantic.DeepEqual(got.Requests, c.requestsWant) || !equality.Semantic.DeepEqual(got.Limits, c.asked.Limits) {
			t.Errorf("%s, asked for %v: requests %v, limits %v", c.role, c.asked, got.Requests, got.Limits)
		}
	}
}

// A worker that gives up by itself can say why; one whose Job's time is over can't.
func TestAWorkerGivesUpBeforeItsJobDoes(t *testing.T) {
	for _, collect := range []v1alpha1.Duration{"1s", "5m", "1h"} {
		o := statetest.Given(statetest.Planned)
		o.Run.Spec.Timeouts.Collect = collect
		job := (&Maker{}).Job(o.Run, o.Plan, &o.Plan.Workloads[0], names.RoleWorker)
		command := job.Spec.Template.Spec.Containers[0].Command
		at := slices.Index(command, "--ship-within")
		if at < 0 || at+1 == len(command) {
			t.Fatalf("the worker is not told how long to ship: %v", command)
		}
		within, err := time.ParseDuration(command[at+1])
		if err != nil || within != collect.Or(0) {
			t.Errorf("it ships within %s (%v), want %s", within, err, collect.Or(0))
		}
		load := o.Plan.Workloads[0].Load
		latest := decide.ArmDeadline + decide.StartDeadline + decide.StartIn + // the start lies at most so far ahead of the Job's creation
			time.Duration(load.WarmupMillis+o.Plan.Workloads[0].DurationMillis+load.CooldownMillis+2*load.OperationTimeoutMillis)*time.Millisecond + within
		if deadline := time.Duration(*job.Spec.ActiveDeadlineSeconds) * time.Second; deadline < latest+30*time.Second {
			t.Errorf("the Job ends after %s, and the worker may ship until %s", deadline, latest)
		}
	}
}
