package workload

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestALargerRecordMayNeedASetting(t *testing.T) {
	mode := stores.Mode{Name: "plain", MaxRecordBytes: 1000, RecordLimit: stores.SettingLimit("most", 1024, 24)}
	spec, err := Parse(map[string]string{"readproportion": "1", "updateproportion": "0", "fieldcount": "1", "fieldlength": "1500"}, FromRun(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		values map[string]any
		says   string // "" is nothing
	}{
		{nil, "up to 1000 bytes"},
		{map[string]any{"settings": map[string]any{"most": 1524.0}}, "up to 1500 bytes"},
		{map[string]any{"settings": map[string]any{"most": 1535.0}}, ""},
	} {
		err := spec.CheckStore("shop", mode.With(c.values))
		if (err != nil) != (c.says != "") {
			t.Errorf("with %v: %v", c.values, err)
		}
		if err != nil && (!strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "or raise settings.most of the store")) {
			t.Errorf("with %v: %v", c.values, err)
		}
	}
	if err := spec.CheckStore("shop", &mode); err == nil || strings.Contains(err.Error(), "raise") {
		t.Errorf("of servers that nobody deploys: %v", err)
	}
}

func TestWhatAStoreCanNotDoIsRefused(t *testing.T) {
	able := stores.Mode{Name: "able", Scan: stores.ScanOrdered, Expires: true}
	unable := stores.Mode{Name: "plain", MaxRecordBytes: 1000, CheckNames: func(table string, fields []string) error {
		for _, name := range append(fields, table) {
			if strings.Contains(name, "-") {
				return fmt.Errorf("%q has a dash", name)
			}
		}
		return nil
	}, CheckFields: func(fields int, valueBytes int64) error {
		if fields > 40 {
			return fmt.Errorf("not %d fields of %d", fields, valueBytes)
		}
		return nil
	}}
	for name, c := range map[string]struct {
		properties map[string]string
		says       []string // by the mode that can do little
	}{
		"reads and updates":     {map[string]string{}, nil},
		"few scans":             {map[string]string{"scanproportion": "0.05"}, []string{"shop in its mode plain has no scan", "5 % of", "scanproportion=0"}},
		"a time to live":        {map[string]string{"cacheaside": "true", "cacheaside.ttl": "60"}, []string{"no time to live", "leave cacheaside.ttl out"}},
		"a record just as long": {map[string]string{"fieldcount": "1", "fieldlength": "989"}, nil},
		"a table's name":        {map[string]string{"table": "my-table"}, []string{`"my-table" has a dash`}},
		"a field's name":        {map[string]string{"fieldnameprefix": "f-"}, []string{`"f-0" has a dash`, "fieldnameprefix"}},
		"too many fields":       {map[string]string{"fieldcount": "41", "fieldlength": "10"}, []string{"not 41 fields of 10"}},
		"of several lengths":    {map[string]string{"fieldcount": "41", "fieldlength": "10", "fieldlengthdistribution": "uniform"}, nil},
		"a record too long":     {map[string]string{"fieldcount": "1", "fieldlength": "990"}, []string{"up to 1000 bytes", "fieldcount=1", "fieldlength=990", "1001", "lower"}},
	} {
		c.properties["readproportion"] = "0.95"
		c.properties["updateproportion"] = "0"
		if c.properties["fieldcount"] == "" {
			c.properties["fieldlength"] = "10"
		}
		spec, err := Parse(c.properties, FromRun(nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := spec.CheckStore("shop", &able); err != nil {
			t.Errorf("%s: a store that can: %v", name, err)
		}
		err = spec.CheckStore("shop", &unable)
		if (err != nil) != (c.says != nil) {
			t.Errorf("%s: %v", name, err)
		}
		for _, part := range c.says {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", name, err, part)
			}
		}
	}
}
