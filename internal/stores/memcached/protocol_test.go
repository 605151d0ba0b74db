package memcached

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestKeysAreSentAsTextWhereTheyCanBe(t *testing.T) {
	for name, want := range map[string]struct {
		sent    string
		encoded bool
	}{
		"t/user1":                          {"t/user1", false},
		"t/ünï":                            {"t/ünï", false},
		"t/a b":                            {"dC9hIGI=", true},
		"t/\x00\r\n":                       {"dC8ADQo=", true},
		"t/\x7f":                           {"dC9/", true},
		"t/" + strings.Repeat("k", 248):    {"t/" + strings.Repeat("k", 248), false},
		"t/" + strings.Repeat("k", 249):    {"", false}, // 251 bytes
		"t/" + strings.Repeat("\x01", 190): {"", false}, // 256 bytes
	} {
		sent, encoded, err := appendKey([]byte("before "), []byte(name))
		if want.sent == "" {
			if err == nil || string(sent) != "before " {
				t.Errorf("%q: sent as %q", name, sent)
			}
			continue
		}
		if err != nil || string(sent) != "before "+want.sent || encoded != want.encoded {
			t.Errorf("%q: %q, encoded %v, %v", name, sent, encoded, err)
		}
	}
}

func TestRequestsAreMetaCommands(t *testing.T) {
	k, v := []byte("t/user1"), []byte("hello")
	for want, got := range map[string][]byte{
		"mg t/user1 v\r\n":                appendGet(nil, k, false),
		"mg t/user1 v b\r\n":              appendGet(nil, k, true),
		"ms t/user1 5\r\nhello\r\n":       appendSet(nil, k, false, 0, v),
		"ms t/user1 5 T61 b\r\nhello\r\n": appendSet(nil, k, true, 61, v),
		"ms t/user1 0\r\n\r\n":            appendSet(nil, k, false, 0, nil),
		"md t/user1\r\n":                  appendDelete(nil, k, false),
		"md t/user1 b\r\n":                appendDelete(nil, k, true),
	} {
		if string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNoRecordGoesBeforeItsTime(t *testing.T) {
	now := time.Unix(1_800_000_000, 999_999_999)
	for ttl, want := range map[time.Duration]int64{
		0: 0, time.Millisecond: 2, time.Second: 2, 1500 * time.Millisecond: 3,
		longestRelative*time.Second - time.Second: longestRelative,
		longestRelative * time.Second:             1_800_000_000 + longestRelative + 1,
	} {
		if got := expiry(ttl, now); got != want {
			t.Errorf("%v: %d, want %d", ttl, got, want)
		}
	}
}

// FuzzAnswer reads any bytes as answers: what isn't one is an error, and costs no more than
// was sent.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"VA 5\r\nhello\r\n", "VA 5 b\r\nhello\r\n", "EN\r\n", "HD\r\n", "VA 5\r\nhel", "VA -1\r\n\r\n", "VA 99999999999999999999\r\n",
		"VA 67108865\r\n", "VA \r\n\r\n", "VA 5\r\nhello!\r\n", "SERVER_ERROR x\r\n", strings.Repeat("x", 5000) + "\r\n", "EN\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := bufio.NewReaderSize(iotest.OneByteReader(bytes.NewReader(data)), 8<<10)
		line, err := readLine(in)
		if err != nil || !bytes.HasPrefix(line, []byte("VA ")) {
			return
		}
		line = bytes.Clone(line)
		value, err := readValue(in, line, nil)
		if err == nil && (!bytes.Contains(data, value) || len(value) > len(data)) {
			t.Errorf("%q from %q", value, data)
		}
		if err != nil && len(value) > 0 {
			t.Errorf("%v, and yet %q", err, value)
		}
	})
}
