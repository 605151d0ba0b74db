package servers

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/hack/localcluster/internal/maven"
)

func TestAnImageHasUpstreamsNamesForItsVersion(t *testing.T) {
	r := Recipe{Repository: "docker.io/library/x"}
	if got, want := r.refs("1.6.18"), []string{"docker.io/library/x:1.6.18", "docker.io/library/x:1.6", "docker.io/library/x:1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestServersAreFoundByName(t *testing.T) {
	if all, err := Find(nil); err != nil || len(all) != len(Names()) {
		t.Errorf("%v, %v", all, err)
	}
	if found, err := Find([]string{"memcached"}); err != nil || len(found) != 1 || found[0].Name != "memcached" {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := Find([]string{"memcache"}); err == nil || !strings.Contains(err.Error(), "memcached") {
		t.Errorf("%v", err)
	}
}

func TestAListOfJarsIsReadAsSha256sumMakesIt(t *testing.T) {
	sum := strings.Repeat("0f", 32)
	jars, err := jarsOf("# a remark\n" + sum + "  org/x/1/x-1.jar\n")
	if want := []maven.Jar{{Path: "org/x/1/x-1.jar", SHA256: sum}}; err != nil || !reflect.DeepEqual(jars, want) {
		t.Errorf("%v, %v", jars, err)
	}
	for _, damaged := range []string{sum + "\n", "0f  x.jar\n", sum + "  x y.jar\n", "\n"} {
		if jars, err := jarsOf(damaged); err == nil {
			t.Errorf("%q is %v", damaged, jars)
		}
	}
}

func TestJarsDoNotTakeEachOthersPlaces(t *testing.T) {
	for _, recipe := range recipes {
		seen := map[string]bool{}
		for _, jar := range recipe.Jars {
			if name := path.Base(jar.Path); seen[name] {
				t.Errorf("%s: %s is there twice", recipe.Name, name)
			} else {
				seen[name] = true
			}
		}
	}
}

func TestCassandraHasTheLibrariesOfEachArchitecture(t *testing.T) {
	for _, want := range []string{"cassandra-all-5.0.9.jar", "jamm-0.4.0.jar", "Final-linux-x86_64.jar", "Final-linux-aarch_64.jar"} {
		if !slices.ContainsFunc(mustJars(cassandraJars), func(jar maven.Jar) bool { return strings.HasSuffix(jar.Path, want) }) {
			t.Errorf("no jar ends with %s", want)
		}
	}
}

func TestServersOfJavaShareOneTree(t *testing.T) {
	trees := map[string]bool{}
	for _, recipe := range recipes {
		if len(recipe.Jars) > 0 {
			trees[fmt.Sprint(recipe.packages())] = true
		}
	}
	if len(trees) != 1 {
		t.Errorf("each of these would be fetched, and unpacked by each node: %v", trees)
	}
}
