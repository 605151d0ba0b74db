package etcd

import (
	"bytes"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestTableHoldsItsKeysAndNoOther(t *testing.T) {
	prefix, err := tablePrefix(nil, "user")
	if err != nil {
		t.Fatal(err)
	}
	end := prefixEnd(prefix)
	for key, in := range map[string]bool{
		"user/": true, "user/a": true, "user/\xff\xff": true,
		"user": false, "user0": false, "usertable/a": false, "use/a": false,
	} {
		got := bytes.Compare([]byte(key), prefix) >= 0 && bytes.Compare([]byte(key), end) < 0
		if got != in {
			t.Errorf("%q in the table: %v, want %v", key, got, in)
		}
	}
}

func TestTableNameThatWouldOverlapIsRefused(t *testing.T) {
	for _, table := range []string{"", "a/b", "/"} {
		if _, err := tablePrefix(nil, table); err == nil {
			t.Errorf("%q was accepted", table)
		}
	}
}

func TestUnknownModeIsRefused(t *testing.T) {
	if _, err := Open(stores.Config{Addresses: []string{"127.0.0.1:1"}, Mode: "fast"}); err == nil {
		t.Fatal("accepted")
	}
}
