package workload

import (
	"maps"
	"testing"
)

func TestWorkloadsInWords(t *testing.T) {
	for name, c := range map[string]struct {
		preset string
		more   map[string]string
		want   Words
	}{
		"A": {"A", nil, Words{"50 % READ, 50 % UPDATE", "zipfian", "10 fields of 100 bytes"}},
		"D": {"D", nil, Words{"95 % READ, 5 % INSERT", "latest", "10 fields of 100 bytes"}},
		"E": {"E", nil, Words{"5 % INSERT, 95 % SCAN of 1 to 100 records (uniform)", "zipfian", "10 fields of 100 bytes"}},
		"F": {"F", map[string]string{"fieldcount": "1", "fieldlength": "1000"}, Words{"50 % READ, 50 % READ-MODIFY-WRITE", "zipfian", "1 field of 1000 bytes"}},
		"mixgraph": {"mixgraph", nil, Words{
			"83 % READ, 14 % UPDATE, 3 % SCAN of 1 to 10000 records (pareto)", "mixgraph, 30 ranges of keys", "1 field of 1 to 1024 bytes (pareto)"}},
		"proportions that don't add up to 1": {"", map[string]string{"readproportion": "1", "updateproportion": "2"}, Words{
			"33.33 % READ, 66.67 % UPDATE", "uniform", "10 fields of 100 bytes"}},
		"scans of one length, and deletes": {"", map[string]string{
			"readproportion": "0", "updateproportion": "0", "scanproportion": "0.5", "deleteproportion": "0.5", "minscanlength": "7", "maxscanlength": "7",
		}, Words{"50 % SCAN of 7 records, 50 % DELETE", "uniform", "10 fields of 100 bytes"}},
		"a hot spot": {"C", map[string]string{"requestdistribution": "hotspot"}, Words{
			"100 % READ", "hotspot, 80 % of the operations on 20 % of the records", "10 fields of 100 bytes"}},
		"exponential": {"C", map[string]string{"requestdistribution": "exponential"}, Words{
			"100 % READ", "exponential, 95 % of the operations on the newest 85.71 % of the records", "10 fields of 100 bytes"}},
		"lengths of a file": {"C", map[string]string{"fieldlengthdistribution": "histogram", "fieldlengthhistogram": "sizes_hist.txt"}, Words{
			"100 % READ", "zipfian", "10 fields with lengths by the histogram of sizes_hist.txt"}},
		"a cache": {"C", map[string]string{"cacheaside": "true"}, Words{
			"100 % READ; what a read misses is inserted", "zipfian", "10 fields of 100 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			properties, _ := Preset(c.preset)
			if properties == nil {
				properties = map[string]string{}
			}
			maps.Copy(properties, c.more)
			got, err := Describe(properties)
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
	if _, err := Describe(map[string]string{"readproportion": "x"}); err == nil {
		t.Error("what is no property is described")
	}
}
