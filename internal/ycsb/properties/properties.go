// Package properties reads the properties of a YCSB command and finds out whose each of them is. It knows
// the names that other tools use for stores and properties.
//
// Collect reads files. All else is a function of what was collected and of the catalog of stores. Nothing is
// left out in silence, because the work could then be another one than the user asked for. A property of the
// store that is unknown, or that is set in another way here, is an error. What belongs to no store is left to
// the parser of the workload.
package properties

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
	"github.com/kvbench/kvbench/internal/workload"
)

// Every store that is reached over a network has these properties, after its prefix.
const (
	Endpoints   = "endpoints"
	Mode        = "mode"
	DialTimeout = "dial_timeout"
)

// Host and Port name one server. They are properties of stores whose client in YCSB has them.
const (
	Host = "host"
	Port = "port"
)

// Split is the properties of a command, by who looks at them.
type Split struct {
	Store  map[string]string // the store's, without their prefix
	Rest   map[string]string // the client's and the workload's
	Unused map[string]bool   // properties of other stores and other clients, which have no effect here
	Places map[string]string // FILE:LINE of each property that a file has
}

// For splits the properties of a command for this store, under the names that they have here. Its error
// has a workload.PropertyError for each property that is wrong. The split has the others.
func (g *Given) For(store *stores.Entry) (*Split, error) {
	all, places := maps.Clone(g.Values), maps.Clone(g.Places)
	twice := translate(all, places, store)
	split, wrong := splitFor(store, all)
	split.Places = places
	return split, errors.Join(twice, wrong)
}

func splitFor(store *stores.Entry, all map[string]string) (*Split, error) {
	s := &Split{Store: map[string]string{}, Rest: map[string]string{}, Unused: map[string]bool{}}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(all)) {
		prefix, after, _ := strings.Cut(name, ".")
		told, ineffective := ineffective(name, store.Prefix)
		switch how := saidElsewhere(name, store); {
		case how != "":
			wrong = append(wrong, &workload.PropertyError{Name: name, Err: fmt.Errorf("property %q is said in another way here: use %s", name, how)})
		case prefix == store.Prefix && slices.Contains(storeProperties(store), after):
			s.Store[after] = all[name]
		case ineffective:
			s.Unused[told] = true
		case prefix == store.Prefix:
			wrong = append(wrong, &workload.PropertyError{
				Name: name, Err: fmt.Errorf("unknown property %q; %s has %s", name, store.Name, list(store)),
			})
		default:
			s.Rest[name] = all[name]
		}
	}
	return s, errors.Join(wrong...)
}

// isPrefix says whether a store of the catalog has that prefix.
func isPrefix(prefix string) bool {
	for _, name := range catalog.Names() {
		if entry, _ := catalog.Find(name); entry.Prefix == prefix {
			return true
		}
	}
	return false
}

// storeProperties are the names that a store takes, without its prefix.
func storeProperties(store *stores.Entry) []string {
	if store.ClientPort == 0 {
		return store.Properties // it is reached over no network
	}
	return append([]string{Endpoints, Mode, DialTimeout}, store.Properties...)
}

func list(store *stores.Entry) string {
	var names []string
	for _, name := range storeProperties(store) {
		names = append(names, store.Prefix+"."+name)
	}
	return strings.Join(names, ", ")
}
