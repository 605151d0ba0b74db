package suite

import (
	"fmt"
	"strings"
)

// Problem is what is wrong, and in which combinations. Where it is the suite's own, it has none.
type Problem struct {
	Message      string
	Combinations []string
}

// Problems are all that is wrong with a suite, each once.
type Problems []Problem

// Add notes that what has the name, such as a combination, has a problem.
func (p *Problems) Add(name, message string) { p.add(name, message) }

func (p *Problems) add(combination, message string) {
	var in []string
	if combination != "" {
		in = []string{combination}
	}
	for i := range *p {
		if known := &(*p)[i]; known.Message == message {
			known.Combinations = append(known.Combinations, in...)
			return
		}
	}
	*p = append(*p, Problem{message, in})
}

// namedCombinations is how many combinations a sentence names for one problem.
const namedCombinations = 4

// String lists all problems in one line.
func (p Problems) String() string {
	sentences := make([]string, len(p))
	for i, problem := range p {
		sentences[i] = problem.String()
	}
	return strings.Join(sentences, "; ")
}

func (p Problem) String() string {
	switch n := len(p.Combinations); {
	case n == 0:
		return p.Message
	case n <= namedCombinations:
		return fmt.Sprintf("%s (in %s)", p.Message, strings.Join(p.Combinations, "; "))
	default:
		return fmt.Sprintf("%s (in %s; and in %d more combinations)", p.Message, strings.Join(p.Combinations[:namedCombinations], "; "), n-namedCombinations)
	}
}
