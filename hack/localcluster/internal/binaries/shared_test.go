package binaries

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Go compiles a package once for all programs that have the same versions of it and of all that it
// imports. The Kubernetes client takes two cores minutes, and most groups have it, as kvbench does.
func TestTheKubernetesClientIsCompiledOnceForAll(t *testing.T) {
	source, err := Source()
	if err != nil {
		t.Fatal(err)
	}
	folders := []string{filepath.Dir(source)}
	for _, g := range All() {
		// Chaos Mesh's controller-runtime doesn't compile with a newer client than its own.
		if g.Name != ChaosMesh.Name {
			folders = append(folders, filepath.Join(source, g.Name))
		}
	}
	want := versions(t, filepath.Join(source, "..", "..", ".."))
	client := modulesOf(t, "k8s.io/client-go/kubernetes")
	compared := 0
	for _, folder := range folders {
		got := versions(t, folder)
		if got["k8s.io/api"] == "" {
			continue
		}
		compared++
		for _, module := range client {
			if got[module] != want[module] {
				t.Errorf("%s has %s %s, and kvbench %s: `go get` the newer of them in the other's folder, then `go mod tidy`",
					folder, module, got[module], want[module])
			}
		}
	}
	if compared < 4 {
		t.Errorf("only %d of %v have the Kubernetes client", compared, folders)
	}
}

// Flags that differ compile it twice as well.
func TestTheFlagsOfCompilersAreTheSameEverywhere(t *testing.T) {
	source, err := Source()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(source, "..", "..", "..")
	flags := regexp.MustCompile(`-gcflags=[^'"\s]+`)
	var want string
	for _, file := range []string{"Makefile", ".ci/run", "CONTRIBUTING.md", "hack/demo/main.go", "hack/demo/cli/compile.go", "hack/localcluster/internal/binaries/build.go"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		found := flags.FindAllString(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s has no -gcflags", file)
		}
		for _, got := range found {
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s has %s, and the Makefile %s", file, got, want)
			}
		}
	}
}

// modulesOf are those that a package of this module is compiled from.
func modulesOf(t *testing.T, path string) []string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", path)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Fields(string(out))
	slices.Sort(modules)
	return slices.Compact(modules)
}

// versions are those that the go.mod in a folder requires.
func versions(t *testing.T, folder string) map[string]string {
	t.Helper()
	gomod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	return required(string(gomod))
}
