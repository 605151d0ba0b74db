package initialize

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/validate"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// Validate takes milliseconds for a run, and there are some ten thousands of combinations. The definition sees the store, its mode
// and its members apart from all else, and the chart sees nothing else: so validate is asked once for each store with so many
// members, and once for each combination of the other answers. The catalog is asked for these in each mode, with one number of
// members.

// rates are those that differ in what they make: open loops, with the bounds of their rates, and a closed one.
var rates = []string{"1", "1000", "10000000", closedLoop}

// installations are the answers for all stores in all their modes with all their numbers of members.
func installations(t *testing.T) (all [][]string) {
	t.Helper()
	for _, store := range catalog.Deployable() {
		entry, _ := catalog.Find(store)
		for _, mode := range entry.ModeNames() {
			found, exists := entry.FindMode(mode)
			if !exists {
				t.Fatalf("%s has no mode %s", store, mode)
			}
			for _, nodes := range found.Nodes {
				all = append(all, []string{"store=" + store, "mode=" + mode, fmt.Sprintf("nodes=%d", nodes)})
			}
		}
	}
	if len(all) < 100 {
		t.Fatalf("there are only %d", len(all))
	}
	return all
}

// with is the list with more behind it, and never writes into the list.
func with(list []string, more ...string) []string {
	return append(append([]string{}, list...), more...)
}

// content is the file that the answers make.
func content(t *testing.T, given []string) validate.Content {
	t.Helper()
	return validate.Content{File: strings.Join(given, ","), Text: []byte(render(scripted(t, given...)))}
}

// allValid fails the test if validate refuses one of the files.
func allValid(t *testing.T, contents []validate.Content) {
	t.Helper()
	results, err := validate.Check(context.Background(), contents)
	if err != nil || len(results) != len(contents) {
		t.Fatalf("%d results of %d files, %v", len(results), len(contents), err)
	}
	for _, r := range results {
		if !r.OK {
			t.Errorf("%s: %s %v", r.File, r.Error, r.Findings)
		}
	}
}

// A fault is offered after all else, if the catalog takes the run with it. So each combination makes a run if those without
// faults do. What a mode can do doesn't depend on its number of members, so each mode is asked for all else with one number.
func TestTheCatalogTakesAllCombinationsThatAreOffered(t *testing.T) {
	seen := map[string]bool{}
	for _, installation := range installations(t) {
		mode := installation[0] + "," + installation[1]
		if seen[mode] {
			scripted(t, with(installation, "fault=None")...)
			continue
		}
		seen[mode] = true
		a := scripted(t, with(installation, "fault=None")...)
		taken := 0
		for _, p := range presets {
			with := a.withWorkload(p)
			if with.rate = 0; with.possible() != nil {
				continue // it isn't offered
			}
			taken++
			for _, rate := range rates {
				if err := takeRate(with, rate); err != nil {
					t.Errorf("%q with the workload %s at the rate %s: %v", installation, p.name, rate, err)
				}
			}
		}
		if taken < 5 {
			t.Errorf("%q: only %d workloads are offered", installation, taken)
		}
	}
}

func TestEachStoreWithEachNumberOfMembersIsValid(t *testing.T) {
	var contents []validate.Content
	for _, installation := range installations(t) {
		contents = append(contents, content(t, installation))
	}
	allValid(t, contents)
}

func TestAllCombinationsOfTheOtherAnswersAreValid(t *testing.T) {
	var contents []validate.Content
	for _, p := range presets {
		for _, rate := range rates {
			given := []string{"store=etcd", "workload=" + p.name, "rate=" + rate} // etcd can have them all
			for _, f := range append(allFaults(), fault{name: noFault}) {
				contents = append(contents, content(t, with(given, "fault="+f.name)))
			}
		}
	}
	allValid(t, contents)
}

func TestFaultsAreOfferedIfTheStoreCanHaveThem(t *testing.T) {
	for _, store := range catalog.Deployable() {
		offered := valuesOf(faultOptions(scripted(t, "store="+store, "fault=None")))
		if len(offered) < 3 {
			t.Errorf("%s: %q", store, offered)
		}
		for _, f := range append(allFaults(), fault{name: noFault}) {
			_, err := fromScript("first", []string{"store=" + store, "fault=" + f.name})
			isOffered := strings.Contains(" "+strings.Join(offered, " ")+" ", " "+f.name+" ")
			if isOffered && err != nil || !isOffered && (err == nil || !strings.Contains(err.Error(), "Possible are None, ")) {
				t.Errorf("%s: %s is offered: %v, and %v", store, f.name, isOffered, err)
			}
		}
	}
}
