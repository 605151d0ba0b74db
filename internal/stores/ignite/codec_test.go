package ignite

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

func messageOf(t *testing.T, data []byte) message {
	t.Helper()
	r := reader{in: bufio.NewReader(bytes.NewReader(data))}
	content, err := r.next()
	if err != nil {
		t.Fatal(err)
	}
	m, err := decodeMessage(content)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnAnswersHeadIsRead(t *testing.T) {
	var plain, moved, refused builder
	beginReply(&plain, request{number: 7})
	plain.byte(1)
	plain.end()
	beginMovedReply(&moved, request{number: 8}, version{major: 3, minor: 2})
	moved.end()
	replyError(&refused, request{number: 9}, 1000)
	if m := messageOf(t, plain.out); m.number != 7 || m.moved || m.status != 0 || !m.body.bool() {
		t.Errorf("%+v", m)
	}
	if m := messageOf(t, moved.out); m.number != 8 || !m.moved || m.topology != (version{major: 3, minor: 2}) {
		t.Errorf("%+v", m)
	}
	m := messageOf(t, refused.out)
	var said *serverError
	if err := decodeError(&m); !errors.As(err, &said) || said.status != 1000 || said.message != "it did not work" {
		t.Errorf("%+v: %v", m, err)
	}
}

func TestWhatIsNoMessageIsRefused(t *testing.T) {
	var plain builder
	beginReply(&plain, request{number: 1})
	plain.end()
	length := func(length uint32) []byte {
		data := slices.Clone(plain.out)
		binary.LittleEndian.PutUint32(data, length)
		return data
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"of no length":       {length(0), "a message of 0 bytes"},
		"of less than that":  {length(1 << 31), "a message of -2147483648 bytes"},
		"more than is taken": {length(maxMessage + 1), "a message of"},
		"cut short":          {plain.out[:len(plain.out)-1], "unexpected EOF"},
		"announced alone":    {length(maxMessage), "unexpected EOF"},
		"HTTP":               {[]byte("HTTP/1.1 400 Bad Request\r\n\r\n"), "a message of"},
	} {
		r := reader{in: bufio.NewReader(bytes.NewReader(c.data))}
		if _, err := r.next(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
		if cap(r.buf) > keepBytes {
			t.Errorf("%s: %d bytes were taken", name, cap(r.buf))
		}
	}
	if _, err := decodeMessage(plain.out[bytesLength : len(plain.out)-1]); !errors.Is(err, errProtocol) {
		t.Errorf("a head that ends early: %v", err)
	}
}

func TestAMemberTellsItsName(t *testing.T) {
	var good, bad builder
	replyIntroduction(&good, uuid{high: 1, low: 2})
	if name, err := decodeIntroduction(good.out[bytesLength:]); err != nil || name != (uuid{high: 1, low: 2}) {
		t.Errorf("%v, %v", name, err)
	}
	bad.bool(false)
	bad.int16(1)
	bad.int16(6)
	bad.int16(0)
	bad.text("unsupported version")
	bad.int32(1)
	if _, err := decodeIntroduction(bad.out); err == nil || !strings.Contains(err.Error(), "1.6.0") || !strings.Contains(err.Error(), "unsupported version") {
		t.Errorf("%v", err)
	}
}

func TestOwnersAreThoseOfTheAnswer(t *testing.T) {
	a, b := uuid{high: 1}, uuid{low: 2}
	var out builder
	appendTestPartitions(&out, version{major: 4, minor: 1}, 77, map[uuid][]int32{a: {0, 3}, b: {1, 2, 4}})
	at, all, err := decodePartitions(input{data: out.out}, 1)
	if err != nil || at != (version{major: 4, minor: 1}) || len(all) != 1 || !slices.Equal(all[0].caches, []int32{77}) ||
		!slices.Equal(all[0].owners, []uuid{a, b, b, a, b}) {
		t.Errorf("%v, %+v, %v", at, all, err)
	}
	if _, _, err := decodePartitions(input{data: out.out}, 0); !errors.Is(err, errProtocol) {
		t.Errorf("owners of more caches than were asked for: %v", err)
	}
	for _, partition := range []int32{-1, maxPartitions} {
		var out builder
		appendTestPartitions(&out, version{}, 77, map[uuid][]int32{a: {partition}})
		if _, _, err := decodePartitions(input{data: out.out}, 1); !errors.Is(err, errProtocol) {
			t.Errorf("partition %d: %v", partition, err)
		}
	}
}

func TestAConfigurationIsReadAsFarAsItsEntities(t *testing.T) {
	var out builder
	appendTestConfiguration(&out, atomicityAtomic, 1)
	if made, err := decodeConfiguration(input{data: out.out}); err != nil || made != (configuration{atomicity: atomicityAtomic, queried: true}) {
		t.Errorf("%+v, %v", made, err)
	}
	if _, err := decodeConfiguration(input{data: out.out[:len(out.out)-1]}); !errors.Is(err, errProtocol) {
		t.Errorf("one that ends early: %v", err)
	}
}

// FuzzAnswer reads whatever comes as each kind of answer.
func FuzzAnswer(f *testing.F) {
	var introduced, owners, config, page, strings, refused builder
	replyIntroduction(&introduced, uuid{low: 1})
	beginReply(&owners, request{})
	appendTestPartitions(&owners, version{major: 1}, 5, map[uuid][]int32{{low: 1}: {0, 1}})
	owners.end()
	beginReply(&config, request{})
	appendTestConfiguration(&config, 1, 1)
	config.end()
	beginReply(&page, request{})
	appendTestPage(&page, []string{"a", "b"}, true)
	page.end()
	beginReply(&strings, request{})
	strings.int64(1)
	strings.int32(1)
	strings.int32(1)
	strings.text("true")
	strings.bool(false)
	strings.end()
	replyError(&refused, request{}, 1)
	for _, seed := range []builder{introduced, owners, config, page, strings, refused} {
		f.Add(seed.out)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := reader{in: bufio.NewReader(bytes.NewReader(data))}
		for {
			content, err := r.next()
			if err != nil {
				return
			}
			_, _ = decodeIntroduction(content)
			m, err := decodeMessage(content)
			if err != nil {
				continue
			}
			if err := decodeError(&m); err == nil {
				t.Fatal("an error is none")
			}
			if _, all, err := decodePartitions(m.body, 2); err == nil {
				if len(all) > 2 {
					t.Fatalf("%d ownerships", len(all))
				}
				for _, own := range all {
					if len(own.owners) > maxPartitions || len(own.caches) > len(content) {
						t.Fatalf("%d owners of %d caches", len(own.owners), len(own.caches))
					}
				}
			}
			_, _ = decodeConfiguration(m.body)
			_, _ = decodeState(m.body)
			_, _ = decodeNodes(m.body)
			if rows, err := decodeStrings(m.body); err == nil && len(rows) > len(content) {
				t.Fatalf("%d rows in %d bytes", len(rows), len(content))
			}
			_, _, _ = (&input{data: m.body.data}).value()
			var found rows
			if _, err := found.readPage(&m.body, 2); err == nil && len(found.ends) > 2 {
				t.Fatalf("%d rows instead of 2", len(found.ends))
			}
		}
	})
}
