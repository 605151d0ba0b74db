package logs

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestALogThatIsOpenedAnewRepeatsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		before, after []int // times of the lines before it broke, and from the same second on after that
		want          int   // lines that are new
	}{
		"nothing new":                     {[]int{1, 2}, []int{1, 2}, 0},
		"one more":                        {[]int{1, 2}, []int{1, 2, 3}, 1},
		"one more of the same instant":    {[]int{1, 2, 2}, []int{1, 2, 2, 2}, 1},
		"nothing was read":                {nil, []int{1, 2}, 2},
		"what was read is no longer kept": {[]int{1, 2}, []int{5, 6}, 1}, // 5 came before it broke once more
		"the clock went back afterwards":  {[]int{5}, []int{5, 3, 4}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var p Position
			p.Reopen()
			for _, millis := range c.before {
				if !p.Read(at(millis)) {
					t.Fatalf("%d is not new", millis)
				}
			}
			p.Reopen()
			if len(c.before) > 0 {
				p.Read(at(c.after[0])) // it breaks once more while what was read comes again
				p.Reopen()
			}
			count := 0
			for _, millis := range c.after {
				if p.Read(at(millis)) {
					count++
				}
			}
			if count != c.want {
				t.Errorf("%d lines are new, want %d", count, c.want)
			}
		})
	}
}

func TestABrokenLogGoesOnWhereItWas(t *testing.T) {
	bodies := []string{
		stamp(0) + " a\n" + stamp(1200) + " b\n",
		stamp(1200) + " b\n" + stamp(1300) + " c\n",
	}
	var asked []corev1.PodLogOptions
	open := func(_ context.Context, _ container, o corev1.PodLogOptions) (io.ReadCloser, error) {
		asked = append(asked, o)
		body := bodies[0]
		bodies = bodies[1:]
		return io.NopCloser(strings.NewReader(body)), nil
	}
	var p Position
	read := func() string {
		return texts(all(t, &logStream{ctx: t.Context(), open: open, container: container{Name: "etcd"}, span: span{tail: 5}, follow: true, position: &p}))
	}
	if first, second := read(), read(); first != "a|b" || second != "c" {
		t.Errorf("got %q, then %q", first, second)
	}
	if asked[0].SinceTime != nil || *asked[0].TailLines != 5 || !asked[0].Timestamps || !asked[0].Follow {
		t.Errorf("first asked for %+v", asked[0])
	}
	if asked[1].TailLines != nil || !asked[1].SinceTime.Time.Equal(at(1000)) {
		t.Errorf("then asked for %+v", asked[1])
	}
}

func TestALogThatCantBeOpenedSaysWhy(t *testing.T) {
	refused := errors.New("refused")
	s := &logStream{ctx: t.Context(), position: &Position{}, open: func(context.Context, container, corev1.PodLogOptions) (io.ReadCloser, error) {
		return nil, refused
	}}
	if _, err := s.Next(); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}
