package binaries

import (
	"strings"
	"testing"
)

func TestTheVersionIsTheModules(t *testing.T) {
	g := Group{Name: "g", Module: "example.org/m"}
	for gomod, want := range map[string]string{
		"require (\n\texample.org/m v1.2.3 // indirect\n)":                        "v1.2.3",
		"require example.org/m v0.9.1-0.2026-abc":                                 "v0.9.1-0.2026-abc",
		"require example.org/m/v2 v2.0.0":                                         "",
		"tool example.org/m\nreplace example.org/m => example.org/other v9.0.0\n": "",
	} {
		if got, err := g.version(gomod); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", gomod, got, err)
		}
	}
}

func TestWhateverChangesAProgramChangesItsFolder(t *testing.T) {
	base := Group{Name: "g", Module: "m", LDFlags: "-s"}
	key := func(g Group, gomod, gosum, main string) string {
		folder, version, err := g.key(gomod, gosum, main)
		if err != nil || version != "v1.0.0" || !strings.HasPrefix(folder, "g-v1.0.0-") {
			t.Fatalf("%s %s %v", folder, version, err)
		}
		return folder
	}
	const gomod = "require m v1.0.0\n"
	seen := map[string]string{key(base, gomod, "sum", ""): "the first"}
	flags, tags, cgo := base, base, base
	flags.LDFlags, tags.Tags, cgo.CGO = "-w", "t", true
	for what, got := range map[string]string{
		"flags": key(flags, gomod, "sum", ""), "tags": key(tags, gomod, "sum", ""), "cgo": key(cgo, gomod, "sum", ""),
		"sums": key(base, gomod, "other", ""), "modules": key(base, gomod+"require n v1.0.0\n", "sum", ""),
		"a program": key(base, gomod, "sum", "package main"),
	} {
		if other, there := seen[got]; there {
			t.Errorf("%s: same folder as %s", what, other)
		}
		seen[got] = what
	}
	if _, there := seen[key(base, gomod, "sum", "")]; !there {
		t.Error("the same twice gives two folders")
	}
}

func TestEveryGroupIsInTheTree(t *testing.T) {
	source, err := Source()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range All() {
		if _, version, err := g.read(source); err != nil || version == "" {
			t.Errorf("%s: %v", g.Name, err)
		}
	}
}
