package main

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// target is one of the Makefile's, with variables, and why it is run.
type target struct {
	name      string
	variables []string
	why       string
}

// repository is what the choice has to know of the checkout. Folders are paths from its root.
type repository struct {
	// deployments are the catalog's runs of each chart, one for each mode, by the chart's folder
	// below charts/stores. That is the store's folder below internal/stores too.
	deployments map[string][]string
	// controllers and conformance are the folders of this module that test/integration and
	// test/conformance import.
	controllers, conformance []string
	// specs are the files of test/e2e that have specs.
	specs []string
}

// Files that tests read, or are run with, and that no package has. A prefix that ends with a slash
// is a folder.
var (
	readByControllers = []string{"go.mod", "go.sum", "config/", "docs/reference/", "hack/tools/prometheus-operator/"}
	readByConformance = []string{"go.mod", "go.sum", "hack/localcluster/internal/servers/"}
	installed         = []string{"go.mod", "go.sum", "Dockerfile", "charts/kvbench/", "cmd/", "hack/demo/", "hack/localcluster/"}
)

// The catalog's specs need no focus on their files: their names say the store.
var ofCatalog = []string{"catalog_test.go", "catalogtable_test.go"}

// choose returns the targets that the changed files concern, in the order in which they are to be
// run. Unit tests are always among them. Go knows which of their packages a change doesn't concern,
// and repeats their results.
func choose(changed []string, in repository) []target {
	stores, charts, specs := set{}, set{}, set{}
	var conformance, controllers, installation, allSpecs bool
	for _, file := range changed {
		store := in.storeOf(file)
		if store != "" {
			stores[store] = true
		} else {
			conformance = conformance || below(file, readByConformance) || concerns(file, in.conformance)
		}
		if store != "" && strings.HasPrefix(file, "charts/") {
			charts[store] = true
		}
		if name, ok := strings.CutPrefix(file, "test/e2e/"); ok {
			switch {
			case slices.Contains(ofCatalog, name):
				charts["etcd"] = true
			case slices.Contains(in.specs, name):
				specs[name] = true
			default: // what specs share, or a file that is gone
				allSpecs = true
			}
		}
		controllers = controllers || below(file, readByControllers) || concerns(file, in.controllers)
		installation = installation || below(file, installed)
	}
	targets := []target{
		{"verify", nil, "generated files, vet"},
		{"test-unit", nil, "packages that changed, and their dependents"},
	}
	add := func(name, why string, variables ...string) { targets = append(targets, target{name, variables, why}) }
	if conformance {
		add("test-conformance", "what all stores share")
	}
	if names := stores.sorted(); len(names) > 0 {
		add("test-conformance", "drivers and observers of "+strings.Join(names, ", "), "RUN="+testsOf(names))
	}
	if controllers {
		add("test-controllers", "what the controllers' tests import or read")
	}
	if names := charts.sorted(); len(names) > 0 {
		var runs []string
		for _, name := range names {
			runs = append(runs, in.deployments[name]...)
		}
		add("test-catalog", "charts of "+strings.Join(names, ", ")+", on the cluster", "STORES="+strings.Join(runs, "|"))
	}
	switch names := specs.sorted(); {
	case allSpecs:
		add("test-e2e", "what the end-to-end specs share")
	case installation:
		names = append(names, "demo_test.go")
		slices.Sort(names)
		add("test-e2e", "what is installed", "SPECS="+strings.Join(slices.Compact(names), " "))
	case len(names) > 0:
		add("test-e2e", "end-to-end specs", "SPECS="+strings.Join(names, " "))
	}
	return targets
}

// storeOf is the store in whose folder a file is, or whose conformance test it is.
func (in repository) storeOf(file string) string {
	for store := range in.deployments {
		if below(file, []string{"internal/stores/" + store + "/", "charts/stores/" + store + "/"}) || strings.HasPrefix(file, "test/conformance/"+store) {
			return store
		}
	}
	return ""
}

// testsOf is a regular expression of the names of the stores' conformance tests.
func testsOf(stores []string) string {
	var names []string
	for _, store := range stores {
		names = append(names, strings.ToUpper(store[:1])+store[1:])
	}
	if slices.Contains(names, "Redis") { // Valkey has its chart and its driver
		names = append(names, "Valkey")
	}
	return "Test.*(" + strings.Join(names, "|") + ")"
}

// below says whether a file is one of these, or in one of these folders.
func below(file string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return file == name || strings.HasSuffix(name, "/") && strings.HasPrefix(file, name)
	})
}

// concerns says whether a file belongs to the package of one of the folders: Go's files are in it,
// others may be below it.
func concerns(file string, folders []string) bool {
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		if slices.Contains(folders, folder) {
			return true
		}
		if strings.HasSuffix(file, ".go") {
			return false
		}
	}
	return false
}

type set map[string]bool

func (s set) sorted() []string { return slices.Sorted(maps.Keys(s)) }
