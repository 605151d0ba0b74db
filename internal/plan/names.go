package plan

// Names of what the controller makes for the run with that ID. The pods of a Job or of a Deployment
// begin with its name and a dash. The results server knows a run's pods by that, so the controller
// and the server take these names from here.

// ResetJobName is of the Job that empties the store before a workload.
func ResetJobName(id, workload string) string { return id + "-reset-" + workload }

// LoadJobName is of the Job that loads a workload's records.
func LoadJobName(id, workload string) string { return id + "-load-" + workload }

// MeasureJobName is of the Job whose pods are the workload's workers.
func MeasureJobName(id, workload string) string { return id + "-measure-" + workload }

// ObserverName is of the observer's Deployment.
func ObserverName(id string) string { return id + "-observer" }
