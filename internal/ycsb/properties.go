package ycsb

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
	"github.com/kvbench/kvbench/internal/workload"
	"github.com/kvbench/kvbench/internal/workload/propertyfile"
)

// collect reads the property files in their order, then takes the pairs name=value, and
// then what the command's own options say; later ones win. places are those in the files.
func collect(files, pairs []string, options map[string]string) (all, places map[string]string, err error) {
	all, places = map[string]string{}, map[string]string{}
	for _, name := range files {
		if err := addFile(name, all, places); err != nil {
			return nil, nil, err
		}
	}
	set := func(name, value string) {
		all[name] = value
		delete(places, name)
	}
	for _, pair := range pairs {
		name, value, found := strings.Cut(pair, "=")
		if name = strings.TrimSpace(name); !found || name == "" {
			return nil, nil, fmt.Errorf("-p %q: must be name=value", pair)
		}
		set(name, strings.TrimSpace(value))
	}
	for name, value := range options {
		set(name, value)
	}
	return all, places, nil
}

func addFile(name string, all, places map[string]string) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("read a property file: %w", err)
	}
	defer file.Close()
	return propertyfile.Add(file, name, all, places)
}

// endpoints and the others are properties that every store has, after its prefix.
const (
	endpointsProperty   = "endpoints"
	modeProperty        = "mode"
	dialTimeoutProperty = "dial_timeout"
)

// hostProperty and portProperty name one server, in stores whose client in YCSB has them.
const (
	hostProperty = "host"
	portProperty = "port"
)

// split is the properties of a command, by who looks at them.
type split struct {
	own    map[string]string // the store's, without their prefix
	rest   map[string]string // the client's and the workload's
	unused map[string]bool   // known, but nobody's: other stores', as one file may serve several, and other clients'
}

// splitStore takes apart whose the properties are.
func splitStore(all map[string]string, store *stores.Entry) (*split, error) {
	s := &split{own: map[string]string{}, rest: map[string]string{}, unused: map[string]bool{}}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(all)) {
		prefix, after, _ := strings.Cut(name, ".")
		told, ineffective := ineffective(name, store.Prefix)
		switch how := saidElsewhere(name, store); {
		case how != "":
			wrong = append(wrong, &workload.PropertyError{Name: name, Err: fmt.Errorf("property %q is said in another way here: use %s", name, how)})
		case prefix == store.Prefix && slices.Contains(storeProperties(store), after):
			s.own[after] = all[name]
		case ineffective:
			s.unused[told] = true
		case prefix == store.Prefix:
			wrong = append(wrong, &workload.PropertyError{
				Name: name, Err: fmt.Errorf("unknown property %q; %s has %s", name, store.Name, list(store)),
			})
		default:
			s.rest[name] = all[name]
		}
	}
	return s, errors.Join(wrong...)
}

func isPrefix(prefix string) bool {
	for _, name := range catalog.Names() {
		if entry, _ := catalog.Find(name); entry.Prefix == prefix {
			return true
		}
	}
	return false
}

// storeProperties are the names, without the prefix, that a store takes.
func storeProperties(store *stores.Entry) []string {
	if store.ClientPort == 0 {
		return store.Properties // it is reached over no network
	}
	return append([]string{endpointsProperty, modeProperty, dialTimeoutProperty}, store.Properties...)
}

func list(store *stores.Entry) string {
	var names []string
	for _, name := range storeProperties(store) {
		names = append(names, store.Prefix+"."+name)
	}
	return strings.Join(names, ", ")
}
