package points

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// collected is a writer that ends the context as soon as it has so many bytes.
type collected struct {
	bytes.Buffer
	enough int
	end    func()
}

func (c *collected) Write(text []byte) (int, error) {
	n, err := c.Buffer.Write(text)
	if c.Len() >= c.enough {
		c.end()
	}
	return n, err
}

func TestAReaderGetsWhatWasPostedAndWhatComes(t *testing.T) {
	feeds := New()
	if n, err := feeds.Add("mine", []byte("series,unixMillis,value\r\nload <b>,1700000000000,0.5\r\n\n")); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	want := Header + "load <b>,1700000000000,0.5\nload <b>,1700000000001.25,-3e2\nlast,3,4\n"
	ctx, end := context.WithCancel(t.Context())
	to := &collected{enough: len(want), end: end}
	coming := []string{"load <b>,1700000000001.25,-3e2", "last,3,4\n"} // one after each time that it is read
	err := feeds.Follow(ctx, "mine", to, func() error {
		if len(coming) == 0 {
			return nil
		}
		_, err := feeds.Add("mine", []byte(coming[0]))
		coming = coming[1:]
		return err
	})
	if err != nil || to.String() != want {
		t.Errorf("read is %q (%v)", to.String(), err)
	}
	if got := feeds.List(); len(got) != 1 || got[0] != (Listed{"mine", 3}) {
		t.Errorf("listed are %v", got)
	}
	if err := feeds.Follow(ctx, "other", to, func() error { return nil }); !errors.Is(err, ErrNone) {
		t.Errorf("a name without points gives %v", err)
	}
}

func TestAPostWithABadLineAddsNothing(t *testing.T) {
	for text, want := range map[string]string{
		"a,1,2\na,1\n":                    "line 2: \"a,1\": it has 2 fields",
		"a,x,2":                           "no time in milliseconds",
		"a,-1,2":                          "no time in milliseconds",
		"a,9e15,2":                        "no time in milliseconds",
		"a,1,NaN":                         "no number between",
		"a,1,0x1p3":                       "no number between",
		"a,1,.5":                          "no number between",
		"a,1,1e300":                       "no number between",
		",1,2":                            "name is empty",
		"\x1b[31m,1,2":                    "can't be shown",
		"[READ], 1,2":                     "bracket",
		strings.Repeat("n", 201) + ",1,2": "longer than 200",
		"\n\n":                            "no point in it",
	} {
		feeds := New()
		if _, err := feeds.Add("mine", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("of %q the error is %v, and not %q", text, err, want)
		}
		if got := feeds.List(); len(got) != 0 {
			t.Errorf("after %q there are %v", text, got)
		}
	}
}

func TestFeedsAreBounded(t *testing.T) {
	feeds := New()
	for i := range maxFeeds {
		if _, err := feeds.Add(fmt.Sprint("feed ", i), []byte("a,1,2")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := feeds.Add("one more", []byte("a,1,2")); err == nil || !strings.Contains(err.Error(), "16 names already") {
		t.Errorf("one name more gives %v", err)
	}
	feeds.total = maxTotal - 3
	if _, err := feeds.Add("feed 0", []byte("a,1,2")); err == nil || !strings.Contains(err.Error(), "MiB of points already") {
		t.Errorf("too many bytes give %v", err)
	}
}

// What is taken has as many points as lines, and is taken again.
func FuzzCheck(f *testing.F) {
	f.Add([]byte("a,1,2\r\nb,1.5,-2e3\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		kept, points, err := check(text)
		if err != nil {
			return
		}
		again, count, err := check(kept)
		if err != nil || !bytes.Equal(again, kept) || count != points || bytes.Count(kept, []byte("\n")) != points {
			t.Errorf("%q became %q with %d points, and then %q with %d: %v", text, kept, points, again, count, err)
		}
	})
}
