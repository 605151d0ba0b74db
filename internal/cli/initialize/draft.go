package initialize

import (
	"fmt"
	"strings"
)

// Draft is a first run that is still being thought about.
type Draft struct {
	Fields   []Field `json:"fields"`
	Manifest string  `json:"manifest"` // YAML
}

// Field is one question, as a form shows it.
type Field struct {
	Key      string   `json:"key"`
	Text     string   `json:"text,omitempty"`
	Explains string   `json:"explains,omitempty"`
	Options  []Option `json:"options,omitempty"` // none where any answer may be right
	Value    string   `json:"value"`
	// Problem is what is wrong with the answer that was given. The default stands in its place.
	Problem string `json:"problem,omitempty"`
}

// Option is one answer.
type Option struct {
	Value   string `json:"value"`
	Meaning string `json:"meaning"`
}

// DraftOf is the run with these answers by the questions' keys. What isn't answered, or can't be, has its default.
func DraftOf(name string, given map[string]string) (*Draft, error) {
	a, d := &answers{name: name}, &Draft{}
	for i := range questions {
		q := &questions[i]
		f := Field{Key: q.key, Text: q.text, Value: q.byDefault(a)}
		if q.explains != nil {
			f.Explains = q.explains(a)
		}
		if q.options != nil {
			for _, o := range q.options(a) {
				f.Options = append(f.Options, Option{o.value, o.meaning})
			}
		}
		answer, answered := given[q.key]
		if answered {
			if err := q.take(a, answer); err != nil {
				f.Problem, answered = err.Error(), false
			} else {
				f.Value = answer
			}
		}
		if !answered {
			if err := q.take(a, f.Value); err != nil {
				return nil, fmt.Errorf("%s=%s, which is the default: %w", q.key, f.Value, err)
			}
		}
		d.Fields = append(d.Fields, f)
	}
	d.Manifest = strings.Replace(render(a), "kubectl kvbench init", "kubectl kvbench open", 1)
	return d, nil
}
