package doctor

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Severity is how something stands.
type Severity string

// Severities. A Problem keeps runs, or some verb, from working. With a Warning they work, maybe worse. What is Unknown couldn't be
// found out.
const (
	OK      Severity = "ok"
	Warning Severity = "warning"
	Problem Severity = "problem"
	Unknown Severity = "unknown"
)

// Finding is what one check says of one thing.
type Finding struct {
	Check    string   `json:"check"`
	Severity Severity `json:"severity"`
	// Where it is: the cluster, a namespace, a node or this machine.
	Where string `json:"where"`
	// What there is.
	What string `json:"what"`
	// Why it matters, and Mend what to do about it; both are "" where all is well.
	Why  string `json:"why,omitempty"`
	Mend string `json:"mend,omitempty"`

	// untold is of what no API server knows, whoever asks. So it doesn't count as a check that had no answer.
	untold bool
}

const wholeCluster = "cluster"

// made is a finding whose check is named later.
func made(severity Severity, where, what string, args ...any) Finding {
	return Finding{Severity: severity, Where: where, What: fmt.Sprintf(what, args...)}
}

func ok(where, what string, args ...any) Finding      { return made(OK, where, what, args...) }
func warning(where, what string, args ...any) Finding { return made(Warning, where, what, args...) }
func problem(where, what string, args ...any) Finding { return made(Problem, where, what, args...) }
func unknown(where, what string, args ...any) Finding { return made(Unknown, where, what, args...) }

// so says why it matters.
func (f Finding) so(why string, args ...any) Finding {
	f.Why = fmt.Sprintf(why, args...)
	return f
}

// mend says what to do about it.
func (f Finding) mend(how string, args ...any) Finding {
	f.Mend = fmt.Sprintf(how, args...)
	return f
}

// inNamespace is a place.
func inNamespace(name string) string { return "namespace " + name }

// right is something that a user may do, or not.
type right struct {
	verb, group, resource, name string
	namespace                   string // "" is all of them, or that there are none of such a resource
}

func (r right) String() string {
	what := r.resource
	if r.group != "" {
		what += "." + r.group
	}
	if r.name != "" {
		what += " " + r.name
	}
	if r.namespace != "" {
		return fmt.Sprintf("%s %s in the namespace %s", r.verb, what, r.namespace)
	}
	return fmt.Sprintf("%s %s in the whole cluster", r.verb, what)
}

// unanswered is of a check that the API server gave no answer for: it names the right that it needs, or the error.
func unanswered(err error, needs right) Finding {
	where := wholeCluster
	if needs.namespace != "" {
		where = inNamespace(needs.namespace)
	}
	if apierrors.IsForbidden(err) {
		return unknown(where, "not known, for it needs the right to %s", needs).so("what you may not see may be wrong").
			mend("ask somebody who has the right to run kubectl kvbench doctor")
	}
	return unknown(where, "not known, for the API server doesn't tell: %s", bounded(err.Error())).so("what it doesn't tell may be wrong").
		mend("run kubectl kvbench doctor again")
}

// mostText bounds the bytes of a text that a server or a pod gave.
const mostText = 400

// bounded is a text on one line, cut where it is too long.
func bounded(text string) string {
	if len(text) > 4*mostText {
		text = text[:4*mostText]
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + " [...]"
	}
	return text
}

// few are the first names of many, for a sentence.
func few(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}
