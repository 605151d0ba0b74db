package controllers

import (
	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
)

// Labels on everything that belongs to a run.
const (
	labelUID  = "kvbench.io/run-uid"
	labelRun  = "kvbench.io/run"
	labelRole = "kvbench.io/role"
)

// Roles, the values of labelRole.
const (
	roleStore    = "store"
	rolePlan     = "plan"
	roleFiles    = "files"
	roleChart    = "chart"
	roleSecret   = "credentials"
	roleObserver = "observer"
	roleReset    = "reset"
	roleLoad     = "load"
	roleWorker   = "worker"
	roleFault    = "fault"
)

const finalizer = "kvbench.io/teardown"

func runID(run *v1alpha1.BenchmarkRun) string { return compile.RunID(run.Name, string(run.UID)) }

func planName(id string) string            { return id + "-plan" }
func filesName(id string) string           { return id + "-files" }
func chartName(id string) string           { return id + "-chart" }
func resetName(id, workload string) string { return id + "-reset-" + workload }
func faultName(id, fault string) string    { return id + "-fault-" + fault }

func runLabels(run *v1alpha1.BenchmarkRun, role string) map[string]string {
	return map[string]string{labelUID: string(run.UID), labelRun: runID(run), labelRole: role}
}
