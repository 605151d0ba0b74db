package ycsb

import "testing"

func TestLaterFilesAndPairsWin(t *testing.T) {
	second := file(t, "\nb=2\nc=2\nd=2")
	given, err := Collect([]string{file(t, "a=1\nb=1\nc=1\nd=1"), second}, []string{"c=3", "c = 4=5", "d=4"}, map[string]string{"d": "5"})
	if err != nil {
		t.Fatal(err)
	}
	if all := given.Values; all["a"] != "1" || all["b"] != "2" || all["c"] != "4=5" || all["d"] != "5" {
		t.Errorf("%v", all)
	}
	if places := given.Places; len(places) != 2 || places["b"] != second+":2" {
		t.Errorf("places %v", places)
	}
}
