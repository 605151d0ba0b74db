package editdistance

import "testing"

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "etcd", 4}, {"etcd", "etcd", 0}, {"etdc", "etcd", 2},
		{"redis", "radish", 2}, {"kitten", "sitting", 3},
	} {
		if got, back := Between(c.a, c.b), Between(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q and %q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}

func TestNearestNeedsALikeness(t *testing.T) {
	known := []string{"etcd", "cassandra", "etcd-leader-kill", "first", "a"}
	for wrong, want := range map[string]string{
		"etdc": "etcd", "ETCD": "etcd", "casandra": "cassandra", "frist": "first", "etcd-leaderkil": "etcd-leader-kill",
		"postgres": "", "b": "", "": "",
	} {
		if got := Nearest(wrong, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", wrong, got, want)
		}
	}
}
