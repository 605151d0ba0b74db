package workload

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented are the rows of a section's table: the property, and its default where that
// is a value.
func documented(t *testing.T, page, section string) (names []string, defaults map[string]string) {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n## "+section+"\n")
	if !ok {
		t.Fatalf("there is no section %q", section)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	defaults = map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)`†? \\| (.*?) \\|").FindAllStringSubmatch(rest, -1) {
		names = append(names, row[1])
		if literal := strings.Trim(row[2], "`"); "`"+literal+"`" == row[2] && !strings.Contains(literal, "`") {
			defaults[row[1]] = literal
		}
	}
	slices.Sort(names)
	return names, defaults
}

// The page names every property, no other, and the defaults that the code has.
func TestThePageOfWorkloadsIsTheCode(t *testing.T) {
	content, err := os.ReadFile("../../docs/reference/workloads.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)

	names, defaults := documented(t, page, "The workload's properties")
	if want := slices.Sorted(maps.Keys(setters)); !slices.Equal(names, want) {
		t.Errorf("the page has %q, the code %q", names, want)
	}
	if len(defaults) != len(setters)-1 { // all but cacheaside.ttl
		t.Errorf("%d defaults", len(defaults))
	}
	unset, err := Parse(nil, FromCommandLine())
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range defaults {
		if spec, err := Parse(map[string]string{name: value}, FromCommandLine()); err != nil || !reflect.DeepEqual(spec, unset) {
			t.Errorf("%s=%s is not what is so if it is not set: %+v, %v", name, value, spec, err)
		}
	}

	names, defaults = documented(t, page, "The client's properties")
	if want := slices.Sorted(maps.Keys(clientSetters)); !slices.Equal(names, want) {
		t.Errorf("the page has %q, the code %q", names, want)
	}
	if len(defaults) != len(clientSetters)-5 { // insertcount, two files, a path, a list
		t.Errorf("%d defaults of the client", len(defaults))
	}
	client, _, err := ParseClient(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range defaults {
		if c, _, err := ParseClient(map[string]string{name: value}); err != nil || !reflect.DeepEqual(c, client) {
			t.Errorf("%s=%s is not what is so if it is not set: %+v, %v", name, value, c, err)
		}
	}

	names, _ = documented(t, page, "Presets")
	if want := slices.Sorted(maps.Keys(presets)); !slices.Equal(names, want) {
		t.Errorf("the page has the presets %q, the code %q", names, want)
	}
}
