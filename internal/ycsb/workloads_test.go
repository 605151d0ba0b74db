package ycsb

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/workload"
)

func TestTheWorkloadFilesAreThePresets(t *testing.T) {
	for _, letter := range []string{"a", "b", "c", "d", "e", "f"} {
		s := settled(t, func(c *Command) { c.Files = []string{"../../workloads/workload" + letter} })
		properties, ok := workload.Preset(strings.ToUpper(letter))
		if !ok {
			t.Fatalf("no preset for %s", letter)
		}
		want, err := workload.Parse(properties, workload.FromCommandLine())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s.spec, want) || s.client.Records != 1000 || s.client.Operations != 1000 {
			t.Errorf("workload%s is %+v with %d records and %d operations, want %+v", letter, s.spec, s.client.Records, s.client.Operations, want)
		}
	}
}
