package helm

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// hearLastWords has kubelets keep the last lines of a container that ends with an error, where the
// object is of Kubernetes' own kinds that make pods, and doesn't say itself what is kept: a run tells
// them when its store doesn't get ready.
func hearLastWords(object map[string]any) {
	switch version, _ := object["apiVersion"].(string); version {
	case "v1":
		if object["kind"] == "Pod" {
			hearPod(object)
		}
	case "apps/v1", "batch/v1":
		for _, path := range podTemplates {
			template, _, _ := unstructured.NestedFieldNoCopy(object, path...) // nil where it has no such thing
			if template, ok := template.(map[string]any); ok {
				hearPod(template)
			}
		}
	}
}

func hearPod(template map[string]any) {
	for _, list := range []string{"initContainers", "containers"} {
		found, _, _ := unstructured.NestedFieldNoCopy(template, "spec", list)
		containers, _ := found.([]any)
		for _, item := range containers {
			container, ok := item.(map[string]any)
			if _, said := container["terminationMessagePolicy"]; ok && !said {
				container["terminationMessagePolicy"] = "FallbackToLogsOnError"
			}
		}
	}
}
