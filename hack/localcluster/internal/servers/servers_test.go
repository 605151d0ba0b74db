package servers

import (
	"reflect"
	"strings"
	"testing"
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
