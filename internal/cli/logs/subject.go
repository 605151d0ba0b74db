package logs

import (
	"strconv"
	"strings"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/compile"
)

// Labels that the controller puts on all that belongs to a run, and on the runs of a suite.
const (
	labelUID      = "kvbench.io/run-uid"
	labelRole     = "kvbench.io/role"
	labelSuiteUID = "kvbench.io/suite-uid"
)

// roles are the values of labelRole that pods have.
var roles = map[string]Role{"store": Member, "reset": Worker, "load": Worker, "worker": Worker, "observer": Observer}

// subject is a run, or a suite, whose logs are asked for.
type subject struct {
	Name, Namespace, UID string
	// ID is the stem of the names of all that a run makes; "" for a suite.
	ID    string
	Store string
	// Created is zero for one that was deleted.
	Created time.Time
}

func ofRun(run *v1alpha1.BenchmarkRun) subject {
	return subject{Name: run.Name, Namespace: run.Namespace, UID: string(run.UID), ID: compile.RunID(run.Name, string(run.UID)),
		Store: run.Spec.Store.Name, Created: run.CreationTimestamp.Time}
}

func ofEntry(e *inventory.Entry) subject {
	if e.RunResource != nil {
		return ofRun(e.RunResource)
	}
	s := subject{Name: e.Name, Namespace: e.Namespace, UID: e.UID, Store: e.Store}
	if e.Kind == inventory.Run {
		s.ID = compile.RunID(e.Name, e.UID)
	}
	if e.SuiteResource != nil {
		s.Created = e.SuiteResource.CreationTimestamp.Time
	}
	return s
}

// owns says that an object with the name is of the run: it has the run's ID, or begins with it and a dash.
func (s subject) owns(name string) bool {
	return s.ID != "" && (name == s.ID || strings.HasPrefix(name, s.ID+"-"))
}

// short is the name of an object without the run's ID. What has only a number beside it is a member.
func (s subject) short(name string) string {
	if !s.owns(name) {
		return name
	}
	short := strings.TrimPrefix(name[len(s.ID):], "-")
	if _, err := strconv.Atoi(short); err == nil || short == "" {
		short = strings.Trim(s.Store+"-"+short, "-")
	}
	return short
}

// earliest is when the first of them was created; zero where that isn't known of one.
func earliest(subjects []subject) (first time.Time) {
	for i, s := range subjects {
		if s.Created.IsZero() {
			return time.Time{}
		}
		if i == 0 || s.Created.Before(first) {
			first = s.Created
		}
	}
	return first
}
