package trace

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestWhatAStoreCanNotReplayIsRefused(t *testing.T) {
	able := stores.Mode{Name: "able", Scan: stores.ScanTokenOrdered}
	unable := stores.Mode{Name: "plain", MaxRecordBytes: 1000}
	for rows, says := range map[string]string{
		"0,READ,a,\n1,UPDATE,a,900\n": "",
		"0,SCAN,a,10\n1,READ,b,\n":    "1 of its 2 requests are scans, and shop in its mode plain has none",
		"0,INSERT,a,989\n":            "",
		"0,INSERT,a,990\n":            "990 bytes, which makes a record of 1001, and shop in its mode plain takes up to 1000",
	} {
		summary, err := Summarize("t", strings.NewReader(rows), Share{Workers: 1, Stretch: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := summary.CheckStore("shop", &able, "field0"); err != nil {
			t.Errorf("%q: a store that can: %v", rows, err)
		}
		err = summary.CheckStore("shop", &unable, "field0")
		if (err != nil) != (says != "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", rows, err, says)
		}
	}
}
