package workload

import "maps"

// presets are YCSB's workloads/workloada to workloadf, without the sizes, which a run
// states itself; and the workload of ZippyDB after Cao et al. (FAST'20), as db_bench's
// wiki shows it: gets, puts of existing records, and seeks, over ordered keys of 48 bytes.
var presets = map[string]map[string]string{
	"A": mix("zipfian", "readproportion", "0.5", "updateproportion", "0.5"),
	"B": mix("zipfian", "readproportion", "0.95", "updateproportion", "0.05"),
	"C": mix("zipfian", "readproportion", "1"),
	"D": mix("latest", "readproportion", "0.95", "insertproportion", "0.05"),
	"E": mix("zipfian", "scanproportion", "0.95", "insertproportion", "0.05",
		"maxscanlength", "100", "scanlengthdistribution", "uniform"),
	"F": mix("zipfian", "readproportion", "0.5", "readmodifywriteproportion", "0.5"),
	"mixgraph": mix("mixgraph", "readproportion", "0.83", "updateproportion", "0.14", "scanproportion", "0.03",
		"fieldcount", "1", "fieldlength", "1024", "fieldlengthdistribution", "pareto",
		"maxscanlength", "10000", "scanlengthdistribution", "pareto",
		"insertorder", "ordered", "zeropadding", "44"),
}

func mix(requests string, pairs ...string) map[string]string {
	m := map[string]string{
		"requestdistribution":       requests,
		"readallfields":             "true",
		"readproportion":            "0",
		"updateproportion":          "0",
		"insertproportion":          "0",
		"scanproportion":            "0",
		"readmodifywriteproportion": "0",
	}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

// Preset returns the properties of YCSB's core workload A to F, or of mixgraph; the caller owns the map.
func Preset(name string) (properties map[string]string, ok bool) {
	p, ok := presets[name]
	return maps.Clone(p), ok
}
