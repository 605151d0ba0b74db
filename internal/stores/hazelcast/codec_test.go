package hazelcast

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

func readOne(t *testing.T, data []byte) *message {
	t.Helper()
	r := reader{in: bufio.NewReader(bytes.NewReader(data))}
	m, err := r.next()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAMessageComesBackAsItWasWritten(t *testing.T) {
	var b builder
	appendGet(&b, 42, 5, "usertable", []byte("key"))
	appendPlain(&b, kindPing, 43)
	r := reader{in: bufio.NewReader(bytes.NewReader(b.out))}
	m, err := r.next()
	if err != nil {
		t.Fatal(err)
	}
	if m.kind() != kindMapGet || m.correlation() != 42 || int32At(m.frames[0].content, offsetPartition) != 5 || len(m.frames) != 3 {
		t.Errorf("%+v", m)
	}
	if string(m.frames[1].content) != "usertable" || string(m.frames[2].content) != "key" {
		t.Errorf("%q, %q", m.frames[1].content, m.frames[2].content)
	}
	if m, err = r.next(); err != nil || m.kind() != kindPing || m.correlation() != 43 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestWhatIsNoMessageIsRefused(t *testing.T) {
	var plain builder
	appendPlain(&plain, kindPing, 1)
	change := func(at int, value byte) []byte {
		data := slices.Clone(plain.out)
		data[at] = value
		return data
	}
	huge := slices.Clone(plain.out)
	binary.LittleEndian.PutUint32(huge, maxMessage+1000)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a frame shorter than its header": {change(0, 3), "a frame of 3 bytes"},
		"a part of a message":             {change(5, 0x60), "begins with flags"},
		"a short first frame":             {change(0, 10), "begins with flags"},
		"more than is taken":              {huge, "more than"},
		"cut short":                       {plain.out[:len(plain.out)-1], "unexpected EOF"},
		"HTTP":                            {[]byte("HTTP/1.1 400 Bad Request\r\n\r\n"), "more than"},
	} {
		r := reader{in: bufio.NewReader(bytes.NewReader(c.data))}
		if _, err := r.next(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
		if cap(r.buf) > keepBytes {
			t.Errorf("%s: %d bytes were taken", name, cap(r.buf))
		}
	}
}

func TestOwnersAreThoseOfTheView(t *testing.T) {
	a, b := uuid{high: 1}, uuid{low: 2}
	owners, err := decodePartitions(readOne(t, partitionsView([]uuid{a, b}, [][]int32{{0, 3}, {1, 2, 6}})), testPartitions)
	if want := []uuid{a, b, b, a, {}, {}, b}; err != nil || !slices.Equal(owners, want) {
		t.Errorf("%v, %v", owners, err)
	}
	if _, err := decodePartitions(readOne(t, partitionsView([]uuid{a}, [][]int32{{testPartitions}})), testPartitions); !errors.Is(err, errProtocol) {
		t.Errorf("%v of a partition beyond the last", err)
	}
	if count, err := decodeMembers(readOne(t, membersView(3))); count != 3 || err != nil {
		t.Errorf("%d members, %v", count, err)
	}
}

// FuzzMessage reads whatever comes as each kind of answer.
func FuzzMessage(f *testing.F) {
	var plain, refused builder
	appendSet(&plain, 1, 2, "usertable", []byte("key"), []byte("value"), 0)
	replyError(&refused, readFirst(plain.out), 33)
	var statement, page, wrong builder
	appendSQL(&statement, 2, queryID{}, "SELECT", nil, 1, 0)
	replyPage(&page, readFirst(statement.out), []string{"a"}, true)
	replySQLError(&wrong, readFirst(statement.out), objectNotFound)
	for _, seed := range [][]byte{plain.out, refused.out, statement.out, page.out, wrong.out, membersView(2), partitionsView([]uuid{{low: 1}}, [][]int32{{0, 1}})} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := reader{in: bufio.NewReader(bytes.NewReader(data))}
		for {
			m, err := r.next()
			if err != nil {
				return
			}
			if err := decodeError(m); err == nil {
				t.Fatal("an error is none")
			}
			if value, there, err := decodeValue(m); err == nil && there {
				_, _ = valueOf(value)
			}
			_, _ = decodeAuthentication(m)
			if owners, err := decodePartitions(m, testPartitions); err == nil && len(owners) != testPartitions {
				t.Fatalf("%d owners", len(owners))
			}
			_, _ = decodeMembers(m)
			_, _, _ = decodePage(nil, m)
		}
	})
}

func readFirst(data []byte) *message {
	r := reader{in: bufio.NewReader(bytes.NewReader(data))}
	m, err := r.next()
	if err != nil {
		panic(err)
	}
	return m
}
