package fingerprint

import "strings"

// follows are fields that follow from a field of the spec, unless the spec says otherwise. Those of a workload are without
// /workloads/N.
var follows = map[string][]string{
	"/store/resources":       {"/store/values/resources"},
	"/store/storage":         {"/store/values/storage", "/store/persistent", "/environment/members/storageClass"},
	"/store/name":            {"/environment/members/images", "/load/updateWrites", "/load/warmup", "/load/connections"},
	"/store/mode":            {"/load/updateWrites"},
	"/store/version":         {"/environment/members/images"},
	"/store/values/image":    {"/environment/members/images"},
	"/store/nodes":           {"/environment/members/nodes"},
	"/placement/members":     {"/environment/members"},
	"/placement/workers":     {"/environment/workers/machines"},
	"/kvbench":               {"/environment/workers/images"},
	"/load/rate":             {"/load/maxInFlight", "/load/model", "/load/arrivals", "/load/connections"},
	"/load/rateShape":        {"/load/rateShape", "/files", "/load/maxInFlight", "/load/model", "/load/arrivals", "/load/connections", "/load/rate"},
	"/load/threads":          {"/load/connections"},
	"/preset":                {"/properties"},
	"/clients":               append([]string{"/clients", "/load/threads"}, proportions...),
	"/insertStart":           {"/records"},
	"/insertCount":           {"/records"},
	"/load/operationTimeout": {"/load/maxInFlight"},
	"/load/workers":          {"/load/maxInFlight"},
	"/store/chart":           {"/store/chart", "/environment/members"},
	"/trace":                 {"/trace", "/files"},
	"/fieldLengthHistogram":  {"/files"},
}

// proportions are the mix of all clients.
var proportions = []string{
	"/properties/readproportion", "/properties/updateproportion", "/properties/insertproportion", "/properties/scanproportion",
	"/properties/readmodifywriteproportion", "/properties/deleteproportion",
}

// Covered says that a field of a fingerprint is meant by one of the pointers: that it is the field, is below it, or follows
// from it. What the spec says of the load of all workloads is meant of each.
func Covered(field string, pointers []string) bool {
	for _, pointer := range pointers {
		if covers(pointer, field) {
			return true
		}
	}
	return false
}

func covers(pointer, field string) bool {
	workload, rest := "", pointer
	if tokens := strings.SplitN(pointer, "/", 4); len(tokens) == 4 && tokens[1] == "workloads" {
		workload, rest = "/workloads/"+tokens[2], "/"+tokens[3]
	}
	meant := []string{rest}
	for of, other := range follows {
		// A pointer to something above changes it as well.
		if below(rest, of) || below(of, rest) {
			meant = append(meant, other...)
		}
	}
	for _, m := range meant {
		// Below a workload, and for all workloads, a load has the same fields.
		ofAll := workload == "" && below(m, "/load") && below(ofWorkload(field), m)
		if ofAll || below(field, workload+m) || below(m, "/files") && below(field, m) {
			return true
		}
	}
	return false
}

// below says that a field is another one, or is in it.
func below(field, other string) bool {
	return field == other || strings.HasPrefix(field, strings.TrimSuffix(other, "/")+"/")
}

// ofWorkload is the field below its workload; "" for a field of none.
func ofWorkload(field string) string {
	tokens := strings.SplitN(field, "/", 4)
	if len(tokens) < 4 || tokens[1] != "workloads" {
		return ""
	}
	return "/" + tokens[3]
}
