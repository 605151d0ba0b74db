package helm

import (
	"strings"
	"testing"
)

func TestTheLastWordsOfAnOwnChartsContainersAreKept(t *testing.T) {
	const policy = "terminationMessagePolicy: FallbackToLogsOnError"
	pods := func(kind, version, spec string) string {
		return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: a}\nspec: " + spec + "\n"
	}
	for name, c := range map[string]struct {
		object string
		kept   int
	}{
		"a set's, those that come first too": {pods("StatefulSet", "apps/v1", "{template: {spec: {initContainers: [{name: a}], containers: [{name: b}, {name: c}]}}}"), 3},
		"a job's":                            {pods("Job", "batch/v1", "{template: {spec: {containers: [{name: a}]}}}"), 1},
		"a cron job's":                       {pods("CronJob", "batch/v1", "{jobTemplate: {spec: {template: {spec: {containers: [{name: a}]}}}}}"), 1},
		"a pod's":                            {pods("Pod", "v1", "{containers: [{name: a}]}"), 1},
		"not where it has its own":           {pods("Pod", "v1", "{containers: [{name: a, terminationMessagePolicy: File}]}"), 0},
		// What an operator's resource may have, its definition says.
		"not in another kind's template": {pods("Database", "db.example.com/v1", "{template: {spec: {containers: [{name: a}]}}}"), 0},
		"not in what is no container":    {pods("Deployment", "apps/v1", "{template: {spec: {containers: [a, 1, null], initContainers: {a: b}}}}"), 0},
		"not in what is no pod":          {pods("Deployment", "apps/v1", "{template: 7}"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := RenderOwn(theirs(t, one(c.object)))
			if err != nil {
				t.Fatal(err)
			}
			if kept := strings.Count(got.Manifest, policy); kept != c.kept {
				t.Errorf("the last words of %d containers are kept, want %d:\n%s", kept, c.kept, got.Manifest)
			}
		})
	}
}
