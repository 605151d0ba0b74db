package initialize

import (
	"fmt"
	"io"

	"github.com/kvbench/kvbench/internal/cli/output"
)

// interview asks the questions, each until it has an answer that makes a run. An empty answer is the default. The error is
// that of ask.
func interview(name string, to io.Writer, ask func(prompt string) (string, error)) (*answers, error) {
	a := &answers{name: name}
	for i := range questions {
		q := &questions[i]
		byDefault := q.byDefault(a)
		if q.text == "" {
			if err := q.take(a, byDefault); err != nil {
				return nil, err
			}
			continue
		}
		if err := introduce(to, q, a); err != nil {
			return nil, err
		}
		for {
			answer, err := ask(fmt.Sprintf("%s [%s]: ", q.key, byDefault))
			if err != nil {
				return nil, err
			}
			if answer == "" {
				answer = byDefault
			}
			err = q.take(a, answer)
			if err == nil {
				break
			}
			fmt.Fprintf(to, "%s: %v\n", shown(answer), err)
		}
	}
	return a, nil
}

// introduce prints a question with what it is about.
func introduce(to io.Writer, q *question, a *answers) error {
	fmt.Fprintf(to, "\n%s\n%s\n", q.text, q.explains(a))
	if q.options == nil {
		return nil
	}
	var rows [][]string
	for _, o := range q.options(a) {
		rows = append(rows, []string{"  " + o.value, o.meaning})
	}
	return output.Columns(to, rows[0], rows[1:])
}
