package chaosmesh

import (
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Asked is when an object is asked for, on the results server's clock, and how far the caller's idea of that
// clock may be off. The object carries it. So it is kept in the same moment in which the injection is asked
// for, and the injection's bracket has nothing of what the caller wrote before.
type Asked struct {
	After time.Time
	Bound time.Duration
}

// askedAnnotation has an Asked: two numbers of nanoseconds, since 1970 and of the bound, with a slash between.
const askedAnnotation = "kvbench.io/asked-after"

// note writes it down, unless it is zero.
func (a Asked) note(meta *metav1.ObjectMeta) {
	if a.After.IsZero() {
		return
	}
	if meta.Annotations == nil {
		meta.Annotations = map[string]string{}
	}
	meta.Annotations[askedAnnotation] = strconv.FormatInt(a.After.UnixNano(), 10) + "/" + strconv.FormatInt(a.Bound.Nanoseconds(), 10)
}

// askedOf reads what an object carries; zero where it carries nothing that can be. Others may have written it,
// so the caller holds it against what it knows.
func askedOf(object metav1.Object) Asked {
	after, bound, _ := strings.Cut(object.GetAnnotations()[askedAnnotation], "/")
	afterNanos, err := strconv.ParseInt(after, 10, 64)
	if err != nil || afterNanos <= 0 {
		return Asked{}
	}
	boundNanos, err := strconv.ParseInt(bound, 10, 64)
	if err != nil || boundNanos < 0 {
		return Asked{}
	}
	return Asked{time.Unix(0, afterNanos), time.Duration(boundNanos)}
}
