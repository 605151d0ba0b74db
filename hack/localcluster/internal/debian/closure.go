package debian

import (
	"fmt"
	"strings"
)

// Package is one of the distribution's packages, in the version that it has now.
type Package struct {
	Name    string
	Version string
	needs   []string
}

// closure is the packages, in their order, and behind them all libraries that they and
// their libraries depend on. describe returns the stanzas of apt-cache show.
//
// Nothing but libraries is followed: a server's other dependencies are what an
// installation needs, such as adduser and Perl. What else a program needs at run time is
// one of the packages that are asked for.
func closure(names []string, describe func(names []string) (string, error)) ([]Package, error) {
	var found []Package
	seen := map[string]bool{}
	for next := names; len(next) > 0; {
		text, err := describe(next)
		if err != nil {
			return nil, err
		}
		described := parseStanzas(text)
		var behind []string
		for _, name := range next {
			p, ok := described[name]
			if !ok {
				return nil, fmt.Errorf("apt-cache knows no package %s: run apt-get update, or look at /etc/apt/sources.list", name)
			}
			seen[name] = true
			found = append(found, p)
			behind = append(behind, p.needs...)
		}
		next = nil
		for _, name := range behind {
			if !seen[name] {
				seen[name] = true
				next = append(next, name)
			}
		}
	}
	return found, nil
}

// parseStanzas reads what apt-cache show prints, by name.
func parseStanzas(text string) map[string]Package {
	found := map[string]Package{}
	for _, stanza := range strings.Split(text, "\n\n") {
		var p Package
		for line := range strings.Lines(stanza) {
			field, value, ok := strings.Cut(line, ":")
			if !ok || strings.HasPrefix(line, " ") {
				continue
			}
			value = strings.TrimSpace(value)
			switch field {
			case "Package":
				p.Name = value
			case "Version":
				p.Version = value
			case "Depends", "Pre-Depends":
				p.needs = append(p.needs, libraries(value)...)
			}
		}
		if p.Name != "" {
			found[p.Name] = p
		}
	}
	return found
}

// libraries are those of a field's dependencies that are libraries; of alternatives it is
// the first.
func libraries(field string) []string {
	var names []string
	for _, one := range strings.Split(field, ",") {
		first, _, _ := strings.Cut(one, "|")
		name, _, _ := strings.Cut(strings.TrimSpace(first), " ")
		name, _, _ = strings.Cut(name, ":") // as in libc6:any
		if strings.HasPrefix(name, "lib") {
			names = append(names, name)
		}
	}
	return names
}

// Upstream is the version of the software in a package: without the epoch before it, the
// packaging's own revision behind, and the mark of sources that Debian packed anew (+dfsg1), which
// no image's tag can have.
func Upstream(version string) string {
	if _, rest, ok := strings.Cut(version, ":"); ok {
		version = rest
	}
	if i := strings.LastIndex(version, "-"); i > 0 {
		version = version[:i]
	}
	version, _, _ = strings.Cut(version, "+")
	return version
}
