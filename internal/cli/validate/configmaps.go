package validate

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
)

const kindConfigMap = "ConfigMap"

// configMaps are those of the files, by namespace and name.
type configMaps map[[2]string]*corev1.ConfigMap

func (m configMaps) add(content map[string]any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	held := &corev1.ConfigMap{}
	if err := json.Unmarshal(text, held); err != nil {
		return fmt.Errorf("its ConfigMap can't be read: %w", err)
	}
	m[[2]string{held.Namespace, held.Name}] = held
	return nil
}

// key returns the content of a key, as the controller reads it.
func (m configMaps) key(namespace string, ref v1alpha1.ConfigMapKeyRef) (content []byte, there bool) {
	held := m[[2]string{namespace, ref.Name}]
	if held == nil {
		return nil, false
	}
	if text, isText := held.Data[ref.Key]; isText {
		return []byte(text), true
	}
	content, there = held.BinaryData[ref.Key]
	return content, there
}

// filesOf are the files that a run names, as far as they are among the ConfigMaps. Its error is a *compile.Refusal.
func (m configMaps) filesOf(run *v1alpha1.BenchmarkRun) (compile.Files, error) {
	files := compile.Files{}
	for _, file := range compile.FilesOf(&run.Spec) {
		content, there := m.key(run.Namespace, file.ConfigMapKeyRef)
		if !there {
			continue
		}
		if err := files.Add(file, content); err != nil {
			return nil, err
		}
	}
	return files, nil
}
