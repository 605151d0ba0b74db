package logs

import (
	"encoding/json"
	"slices"
	"strings"
)

// controllerLabels select the controller's pods in the namespace that kvbench is installed in.
const controllerLabels = "app.kubernetes.io/name=kvbench,app.kubernetes.io/component=controller"

// of keeps a line of the controller's log that names one of the subjects, and says which.
func of(line Line, subjects []subject) (Line, bool) {
	at := slices.IndexFunc(subjects, func(s subject) bool { return names(line.Text, s) })
	if at < 0 {
		return line, false
	}
	line.Run = subjects[at].Name
	return line, true
}

// names says that a line of the controller's log is about the subject. It names it by its UID, its ID, as namespace/name, or in
// the fields that controller-runtime adds.
func names(text string, s subject) bool {
	if s.UID != "" && strings.Contains(text, s.UID) || s.ID != "" && strings.Contains(text, s.ID) || hasWord(text, s.Namespace+"/"+s.Name) {
		return true
	}
	var fields struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
		Kind      string `json:"controllerKind"`
	}
	// The form for a terminal has the fields as an object after a tab, which no JSON text holds.
	object := text[strings.LastIndex(text, "\t{")+1:]
	return json.Unmarshal([]byte(object), &fields) == nil && fields.Namespace == s.Namespace && fields.Name == s.Name &&
		fields.Kind == s.kind()
}

func (s subject) kind() string {
	if s.ID == "" {
		return "BenchmarkSuite"
	}
	return "BenchmarkRun"
}

// hasWord says that the text has the name, and not as a part of a longer one.
func hasWord(text, name string) bool {
	for rest := text; ; {
		at := strings.Index(rest, name)
		if at < 0 {
			return false
		}
		end := at + len(name)
		if (at == 0 || !ofName(rest[at-1])) && (end == len(rest) || !ofName(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

// ofName says whether the byte goes on with a name of a Kubernetes object. A dot may as well end a sentence.
func ofName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-'
}
