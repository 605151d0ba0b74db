package postgresql

import (
	"strings"
	"testing"
)

func TestRowsThatAreTooWideAreRefused(t *testing.T) {
	for _, c := range []struct {
		fields int
		values int64
		says   []string // none where it is taken
	}{
		{10, 100, nil},
		{450, 100, nil},
		{451, 100, []string{"fieldcount=451 and fieldlength=100", "keeps 8118 bytes", "room for 8112", "fieldcount to 450", "jsonb"}},
		{450, 1 << 20, nil},
		{451, 1 << 20, []string{"to 450"}},
		{338, 23, nil}, // which stays in the row
		{339, 23, []string{"keeps 8136 bytes", "to 338"}},
		{450, 24, nil},
		{1000, 7, nil},
	} {
		err := checkFields(c.fields, c.values)
		if (err != nil) != (c.says != nil) {
			t.Errorf("%+v: %v", c, err)
		}
		for _, part := range c.says {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%q lacks %q", err, part)
			}
		}
	}
}
