package logs

import (
	"fmt"
	"slices"
	"strings"
)

// kinds are the words of --of, and the roles that they stand for.
var kinds = []struct {
	word string
	role Role
}{
	{"members", Member}, {"workers", Worker}, {"observer", Observer}, {"controller", Controller}, {"events", Event},
}

func words() []string {
	all := make([]string, len(kinds))
	for i, k := range kinds {
		all[i] = k.word
	}
	return all
}

// wanted are the roles whose lines are asked for.
type wanted map[Role]bool

// parseWanted reads --of. The singular of a word will do.
func parseWanted(asked []string) (wanted, error) {
	roles := wanted{}
	for _, word := range asked {
		at := slices.IndexFunc(kinds, func(k struct {
			word string
			role Role
		}) bool {
			return k.word == word || string(k.role) == word
		})
		if at < 0 {
			return nil, fmt.Errorf("--of can't be %q: name some of %s", word, strings.Join(words(), ", "))
		}
		roles[kinds[at].role] = true
	}
	if len(roles) == 0 {
		return nil, fmt.Errorf("--of is empty: name some of %s", strings.Join(words(), ", "))
	}
	return roles, nil
}

// pods says whether logs of the run's own pods are asked for.
func (w wanted) pods() bool { return w[Member] || w[Worker] || w[Observer] }
