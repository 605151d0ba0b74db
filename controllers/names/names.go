// Package names has the names of what belongs to a run, and the labels that mark it. The names that
// other programs rely on are in internal/plan.
package names

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/internal/compile"
)

const defaultServiceAccount = "kvbench-deployer"

// ServiceAccount is the account of the run's namespace with whose rights its store is deployed.
func ServiceAccount(run *v1alpha1.BenchmarkRun) string {
	return message.FirstOf(run.Spec.ServiceAccountName, defaultServiceAccount)
}

// Labels on everything that belongs to a run.
const (
	LabelUID  = "kvbench.io/run-uid"
	labelRun  = "kvbench.io/run"
	LabelRole = "kvbench.io/role"
)

// Labels and annotations on the runs of a suite.
const (
	LabelSuite    = "kvbench.io/suite"
	LabelSuiteUID = "kvbench.io/suite-uid"
	// AnnotationCombination names the values that the run has on the suite's axes, for people.
	AnnotationCombination = "kvbench.io/combination"
)

// Roles are the values of LabelRole.
const (
	RoleStore    = "store"
	RolePlan     = "plan"
	RoleFiles    = "files"
	RoleChart    = "chart"
	RoleSecret   = "credentials"
	RoleObserver = "observer"
	RoleReset    = "reset"
	RoleLoad     = "load"
	RoleWorker   = "worker"
	RoleFault    = "fault"
)

// Finalizer keeps a run until what it made is gone.
const Finalizer = "kvbench.io/teardown"

// RunID is the stem of the names of all that a run makes.
func RunID(run *v1alpha1.BenchmarkRun) string { return compile.RunID(run.Name, string(run.UID)) }

// PlanName is of the ConfigMap with the plan of the run with that ID.
func PlanName(id string) string { return id + "-plan" }

// FilesName is of the ConfigMap with the run's files.
func FilesName(id string) string { return id + "-files" }

// ChartName is of the ConfigMap with the chart that the run brings.
func ChartName(id string) string { return id + "-chart" }

// FaultName is of a fault's object.
func FaultName(id, fault string) string { return id + "-fault-" + fault }

// RunLabels are the labels of an object of that role.
func RunLabels(run *v1alpha1.BenchmarkRun, role string) map[string]string {
	return map[string]string{LabelUID: string(run.UID), labelRun: RunID(run), LabelRole: role}
}

// ObjectMeta is of an object of that role, in the run's namespace.
func ObjectMeta(run *v1alpha1.BenchmarkRun, name, role string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: run.Namespace, Labels: RunLabels(run, role), OwnerReferences: OwnedBy(run),
	}
}

// OwnedBy lets the garbage collector take what a lost controller left, should the run go
// without its teardown.
func OwnedBy(run *v1alpha1.BenchmarkRun) []metav1.OwnerReference {
	return []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))}
}

// MadeFor says that the controller made the object for this run. Anybody who may write in
// the namespace can put the run's labels on an object of his own: it is neither believed
// nor removed.
func MadeFor(run *v1alpha1.BenchmarkRun, object metav1.Object) bool {
	return metav1.IsControlledBy(object, run)
}

// SlotLease is the Lease whose holder may run. It is never renewed: it ends with its run.
const SlotLease = "kvbench-run-slot"

// Holder is how the run signs the Lease.
func Holder(run *v1alpha1.BenchmarkRun) string {
	return strings.Join([]string{run.Namespace, run.Name, string(run.UID)}, "/")
}
