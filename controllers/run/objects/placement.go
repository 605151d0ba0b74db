package objects

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/internal/plan"
)

// schedule puts what the plan says of the place of one role's pods into their spec. The pods have names.RunLabels.
func schedule(spec *corev1.PodSpec, run *v1alpha1.BenchmarkRun, p *plan.PodPlacement, role string) {
	spec.NodeSelector = p.NodeSelector
	for _, t := range p.Tolerations {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{
			Key: t.Key, Operator: corev1.TolerationOperator(t.Operator), Value: t.Value, Effect: corev1.TaintEffect(t.Effect),
		})
	}
	switch p.Spread {
	case plan.SpreadNodes:
		keepApart(spec, podsOf(run, role))
	case plan.SpreadOneNode:
		keepTogether(spec, podsOf(run, role))
	case plan.SpreadZone:
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{
			evenOver(corev1.LabelTopologyZone, corev1.DoNotSchedule, run, role),
			evenOver(corev1.LabelHostname, corev1.ScheduleAnyway, run, role),
		}
	}
}

// scheduleWorkers does so for pods of the load generator. The observer is made before the members. If it were to be apart from
// them, it could take a node that one of them needs.
func scheduleWorkers(spec *corev1.PodSpec, run *v1alpha1.BenchmarkRun, p *plan.Placement, role string) {
	if p == nil {
		return
	}
	if role == names.RoleObserver {
		schedule(spec, run, &plan.PodPlacement{NodeSelector: p.Workers.NodeSelector, Tolerations: p.Workers.Tolerations}, role)
		return
	}
	schedule(spec, run, &p.Workers, role)
	switch p.ToMembers {
	case plan.ToMembersApart:
		// The scheduler keeps a member that is replaced away from workers as well.
		keepApart(spec, podsOf(run, names.RoleStore))
	case plan.ToMembersBeside:
		keepTogether(spec, podsOf(run, names.RoleStore))
	}
}

// podsOf selects the pods of one role by node.
func podsOf(run *v1alpha1.BenchmarkRun, role string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: selector(run, role)}
}

func selector(run *v1alpha1.BenchmarkRun, role string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: names.RunLabels(run, role)}
}

func evenOver(label string, otherwise corev1.UnsatisfiableConstraintAction, run *v1alpha1.BenchmarkRun, role string) corev1.TopologySpreadConstraint {
	return corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: label, WhenUnsatisfiable: otherwise, LabelSelector: selector(run, role),
		// A zone whose nodes all refuse these pods would count as an empty one, and leave no room in the others.
		NodeTaintsPolicy: ptr.To(corev1.NodeInclusionPolicyHonor),
	}
}

func affinity(spec *corev1.PodSpec) *corev1.Affinity {
	if spec.Affinity == nil {
		spec.Affinity = &corev1.Affinity{}
	}
	return spec.Affinity
}

func keepApart(spec *corev1.PodSpec, from corev1.PodAffinityTerm) {
	a := affinity(spec)
	if a.PodAntiAffinity == nil {
		a.PodAntiAffinity = &corev1.PodAntiAffinity{}
	}
	required := &a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	*required = append(*required, from)
}

func keepTogether(spec *corev1.PodSpec, with corev1.PodAffinityTerm) {
	a := affinity(spec)
	if a.PodAffinity == nil {
		a.PodAffinity = &corev1.PodAffinity{}
	}
	required := &a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	*required = append(*required, with)
}

// memberScheduling are the values of a chart of the catalog that say where its members are, by the names that a pod's spec has
// for them. They are no settings of the store: the plan has them as its placement.
type memberScheduling struct {
	NodeSelector              map[string]string                 `json:"nodeSelector,omitempty"`
	Tolerations               []corev1.Toleration               `json:"tolerations,omitempty"`
	Affinity                  *corev1.Affinity                  `json:"affinity,omitempty"`
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
	ImagePullSecrets          []corev1.LocalObjectReference     `json:"imagePullSecrets,omitempty"`
}

func membersScheduling(run *v1alpha1.BenchmarkRun, p *plan.Plan) memberScheduling {
	var spec corev1.PodSpec
	if p.Placement != nil {
		schedule(&spec, run, &p.Placement.Members, names.RoleStore)
	}
	return memberScheduling{
		NodeSelector: spec.NodeSelector, Tolerations: spec.Tolerations, Affinity: spec.Affinity,
		TopologySpreadConstraints: spec.TopologySpreadConstraints, ImagePullSecrets: pullSecrets(run, nil),
	}
}

// pullSecrets are those of the run, and others, each once: the API server takes no name twice.
func pullSecrets(run *v1alpha1.BenchmarkRun, others []corev1.LocalObjectReference) (secrets []corev1.LocalObjectReference) {
	for _, s := range run.Spec.ImagePullSecrets {
		secrets = append(secrets, corev1.LocalObjectReference{Name: s.Name})
	}
	for _, other := range others {
		if !slices.Contains(secrets, other) {
			secrets = append(secrets, other)
		}
	}
	return secrets
}
