package workload

import "maps"

// presets are YCSB's workloads/workloada to workloadf, without the sizes, which a run
// states itself.
var presets = map[string]map[string]string{
	"A": mix("zipfian", "readproportion", "0.5", "updateproportion", "0.5"),
	"B": mix("zipfian", "readproportion", "0.95", "updateproportion", "0.05"),
	"C": mix("zipfian", "readproportion", "1"),
	"D": mix("latest", "readproportion", "0.95", "insertproportion", "0.05"),
	"E": mix("zipfian", "scanproportion", "0.95", "insertproportion", "0.05",
		"maxscanlength", "100", "scanlengthdistribution", "uniform"),
	"F": mix("zipfian", "readproportion", "0.5", "readmodifywriteproportion", "0.5"),
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

// Preset returns the properties of YCSB's core workload A to F; the caller owns the map.
func Preset(name string) (properties map[string]string, ok bool) {
	p, ok := presets[name]
	return maps.Clone(p), ok
}
