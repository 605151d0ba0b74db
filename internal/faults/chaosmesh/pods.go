package chaosmesh

import (
	"encoding/json"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/faults"
)

// podsAnnotation has the faults.Pods that an object was made for, a JSON object. Chaos Mesh resolves a selector once:
// a pod that is replaced while the fault lasts escapes it, and the note tells.
const podsAnnotation = "kvbench.io/pods"

// notePods writes them down, unless there are none.
func notePods(meta *metav1.ObjectMeta, pods faults.Pods) {
	if len(pods) == 0 {
		return
	}
	text, err := json.Marshal(pods)
	if err != nil {
		return // a map of strings has no value that JSON can't write
	}
	if meta.Annotations == nil {
		meta.Annotations = map[string]string{}
	}
	meta.Annotations[podsAnnotation] = string(text)
}

// podsOf reads what an object carries. It is nil unless these are exactly the pods of its sides: one that is left out
// could be replaced, and nobody would see that.
func podsOf(object metav1.Object, sides faults.Sides) faults.Pods {
	var pods faults.Pods
	if json.Unmarshal([]byte(object.GetAnnotations()[podsAnnotation]), &pods) != nil {
		return nil
	}
	if len(pods) == 0 || !maps.Equal(pods, pods.Of(sides)) {
		return nil
	}
	return pods
}
