package main

import (
	"fmt"
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

func (t target) args() []string {
	return append([]string{"--no-print-directory", t.name}, t.variables...)
}

// repository is what the choice has to know of the checkout.
type repository struct {
	// stores are the folders that internal/stores and charts/stores both have.
	stores []string
	// controllers are the folders of the packages that the controllers' tests import, and of
	// those packages' own imports.
	controllers []string
}

// sharedByStores are folders whose code every store's conformance runs.
var sharedByStores = []string{"internal/stores", "internal/stores/catalog", "internal/credentials", "test/conformance"}

func testName(store string) string {
	if store == "redis" {
		return "Redis|Valkey"
	}
	return strings.ToUpper(store[:1]) + store[1:]
}

// choose returns the targets that the changed files concern, in the order in which they are to be
// run. Paths are the repository's. Unit tests are always among them: Go itself knows which of their
// packages, dependents included, a change doesn't concern, and repeats their results.
func choose(changed []string, in repository) []target {
	var touched, charts []string
	var shared, controllers, localCluster bool
	specs := map[string][]string{}
	for _, file := range changed {
		folder := path.Dir(file)
		store := storeOf(file, in.stores)
		switch {
		case store != "":
			touched = append(touched, store)
			if strings.HasPrefix(file, "charts/") {
				charts = append(charts, store)
			}
		case slices.Contains(sharedByStores, folder):
			shared = true
		case folder == "test/e2e" && strings.HasSuffix(file, "_test.go"):
			specs[folder] = append(specs[folder], path.Base(file))
		case strings.HasPrefix(file, "hack/localcluster/"):
			localCluster = true
		}
		controllers = controllers || concerns(file, in.controllers)
	}
	targets := []target{{name: "verify", why: "generated files, vet"}, {name: "test-unit", why: "packages that changed, and their dependents"}}
	add := func(name, why string, variables ...string) {
		targets = append(targets, target{name, variables, why})
	}
	touched, charts = sorted(touched), sorted(charts)
	if shared {
		add("test-conformance", "what all stores share")
	} else if len(touched) > 0 {
		add("test-conformance", "drivers and observers of "+strings.Join(touched, ", "), "RUN=^Test("+testNames(touched)+")")
	}
	if controllers {
		add("test-controllers", "what the controllers' tests import")
	}
	if len(charts) > 0 {
		add("test-catalog", "charts of "+strings.Join(charts, ", ")+", on the cluster", "STORES="+deployments(charts))
	}
	if files := specs["test/e2e"]; len(files) > 0 {
		slices.Sort(files)
		add("test-e2e", "end-to-end specs in "+strings.Join(files, ", "), "SPECS="+strings.Join(files, " "))
	}
	if localCluster {
		add("cluster", "the local cluster's programs")
	}
	return targets
}

// storeOf is the store in whose folder a file is, or whose conformance test it is.
func storeOf(file string, stores []string) string {
	for _, store := range stores {
		for _, prefix := range []string{"internal/stores/" + store + "/", "charts/stores/" + store + "/", "test/conformance/" + store} {
			if strings.HasPrefix(file, prefix) {
				return store
			}
		}
	}
	return ""
}

// concerns says whether a file is in one of the folders, or below one as its data.
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

// testNames is a regular expression of what the names of the stores' tests begin with.
func testNames(stores []string) string {
	var names []string
	for _, store := range stores {
		names = append(names, testName(store))
	}
	return strings.Join(names, "|")
}

// deployments are the catalog's runs with the fewest members of each mode, as a regular expression.
func deployments(stores []string) string {
	names := slices.Clone(stores)
	if slices.Contains(names, "redis") {
		names = append(names, "valkey")
	}
	return fmt.Sprintf("(%s), mode .*, with [13] members", strings.Join(names, "|"))
}

func sorted(names []string) []string {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return slices.Sorted(maps.Keys(set))
}
