package properties

import (
	"fmt"
	"os"
	"strings"

	"github.com/kvbench/kvbench/internal/workload/propertyfile"
)

// Given is the properties of a command as they were given.
type Given struct {
	Values map[string]string
	Places map[string]string // FILE:LINE of each property that a file has
}

// Collect reads the property files in their order. Then it takes the pairs NAME=VALUE, and then the
// properties that the command's own options stand for. A later value replaces an earlier one. Its error
// names the file or the pair.
func Collect(files, pairs []string, options map[string]string) (*Given, error) {
	g := &Given{Values: map[string]string{}, Places: map[string]string{}}
	for _, name := range files {
		if err := g.addFile(name); err != nil {
			return nil, err
		}
	}
	for _, pair := range pairs {
		name, value, found := strings.Cut(pair, "=")
		if name = strings.TrimSpace(name); !found || name == "" {
			return nil, fmt.Errorf("-p %q: must be name=value", pair)
		}
		g.set(name, strings.TrimSpace(value))
	}
	for name, value := range options {
		g.set(name, value)
	}
	return g, nil
}

func (g *Given) addFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("read a property file: %w", err)
	}
	defer file.Close()
	return propertyfile.Add(file, name, g.Values, g.Places)
}

func (g *Given) set(name, value string) {
	g.Values[name] = value
	delete(g.Places, name)
}
