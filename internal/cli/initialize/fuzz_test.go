package initialize

import (
	"strings"
	"testing"
	"unicode"
)

// FuzzScript gives answers to init. Each set that it takes makes a run that the catalog takes, and what is wrong with another one
// is one line.
func FuzzScript(f *testing.F) {
	f.Add("store=redis,nodes=5,rate=closed")
	f.Add("store=memcached,workload=mixgraph,fault=MemberPodKill,rate=1")
	f.Add("mode=read-one-write-all,store=cassandra")
	f.Add("store==,\x1b=\u202e,nodes=-1")
	f.Fuzz(func(t *testing.T, given string) {
		a, err := fromScript("first", strings.Split(given, ","))
		if err == nil {
			err = a.possible()
			if err != nil {
				t.Errorf("%q was taken: %v", given, err)
			}
			return
		}
		if strings.ContainsFunc(err.Error(), func(c rune) bool { return !unicode.IsPrint(c) }) {
			t.Errorf("%q", err)
		}
	})
}
