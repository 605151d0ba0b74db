package initialize

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// maxScriptBytes bounds a file with answers.
const maxScriptBytes = 64 << 10

// fromScript takes answers such as store=etcd. What isn't answered has its default.
func fromScript(name string, given []string) (*answers, error) {
	values := map[string]string{}
	for _, answer := range given {
		if strings.TrimSpace(answer) == "" {
			continue
		}
		key, value, is := strings.Cut(answer, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !is {
			return nil, fmt.Errorf("--answers: %s is no answer: write key=value, such as store=etcd", shown(answer))
		}
		if !slices.Contains(keys(), key) {
			return nil, fmt.Errorf("--answers: there is no question %s: %s", shown(key), instead(key, keys()))
		}
		if before, twice := values[key]; twice && before != value {
			return nil, fmt.Errorf("--answers: %s is answered twice, with %s and %s: leave one of them out", key, shown(before), shown(value))
		}
		values[key] = value
	}
	a := &answers{name: name}
	for i := range questions {
		q := &questions[i]
		value, answered := values[q.key]
		if !answered {
			value = q.byDefault(a)
		}
		if err := q.take(a, value); err != nil {
			return nil, fmt.Errorf("--answers: %s=%s: %w", q.key, shown(value), err)
		}
	}
	return a, nil
}

func keys() []string {
	all := make([]string, len(questions))
	for i := range questions {
		all[i] = questions[i].key
	}
	return all
}

// withFiles puts the answers of files in the place of their names. What is no key=value is a file's name; - is standard input.
func withFiles(in io.Reader, given []string) (all []string, err error) {
	for _, answer := range given {
		if strings.TrimSpace(answer) == "" || strings.Contains(answer, "=") {
			all = append(all, answer)
			continue
		}
		ofFile, err := readAnswers(in, answer)
		if err != nil {
			return nil, err
		}
		all = append(all, ofFile...)
	}
	return all, nil
}

// readAnswers reads a file with an answer on each line. Lines that begin with # are comments.
func readAnswers(in io.Reader, file string) (answers []string, err error) {
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("--answers: %s is neither key=value, such as store=etcd, nor a file that can be read: %w", shown(file), reasonOf(err))
		}
		defer opened.Close()
		in = opened
	}
	text, err := io.ReadAll(io.LimitReader(in, maxScriptBytes+1))
	if err != nil {
		return nil, fmt.Errorf("--answers: reading %s: %w", shown(file), reasonOf(err))
	}
	if len(text) > maxScriptBytes {
		return nil, fmt.Errorf("--answers: %s has more than %d KiB: name a file with a key=value on each line", shown(file), maxScriptBytes>>10)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			answers = append(answers, line)
		}
	}
	return answers, nil
}

// reasonOf is an error without the name of its file.
func reasonOf(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// maxShown is how many bytes of an answer a sentence repeats.
const maxShown = 60

// shown is an answer in a sentence. Quotes are around what a terminal would obey, and around what has spaces.
func shown(answer string) string {
	if len(answer) > maxShown {
		answer = strings.ToValidUTF8(answer[:maxShown], "") + "..."
	}
	if quoted := strconv.Quote(answer); quoted != `"`+answer+`"` || answer == "" || strings.Contains(answer, " ") {
		return quoted
	}
	return answer
}
