package redis

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestWhatCannotBeOpenedIsRefused(t *testing.T) {
	for want, cfg := range map[string]stores.Config{
		"async, wait, wait-majority, cluster": {Mode: "raft", Addresses: []string{"a:1"}},
		"mode cluster is for 1, 3, 4":         {Mode: ModeCluster, Addresses: []string{"a:1", "b:1"}},
		"no member":                           {},
		"mode wait is for 2 to 9":             {Mode: ModeWait, Addresses: []string{"a:1"}},
		"its Sentinel":                        {Addresses: []string{"a:1", "b:60000"}},
	} {
		if driver, err := Open(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, %v, want %q", cfg, driver, err, want)
		}
	}
}

func TestAMajorityIsCountedWithThePrimary(t *testing.T) {
	for members, want := range map[int]int{2: 1, 3: 1, 4: 2, 5: 2, 7: 3, 9: 4} {
		if got := replicas(ModeWaitMajority, members); got != want || replicas(ModeWait, members) != 1 || replicas(ModeAsync, members) != 0 {
			t.Errorf("of %d members: %d replicas", members, got)
		}
	}
}
