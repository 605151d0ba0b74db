package postgresql

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

// read takes an object apart as a session does.
func read(data []byte) (map[string]string, error) {
	s, fields := session{jsonb: true}, map[string]string{}
	err := s.takeObject(data)
	for _, field := range s.fields {
		fields[field.Name] = string(field.Value)
	}
	return fields, err
}

func TestAnyBytesComeBackFromAnObject(t *testing.T) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	values := []string{"", "text", `"quoted" and \back\slashed`, "é\u2028😀", "\n\t\x01", "a\x00b", `\x00`, `\xzz`, "\xff", string(every)}
	for _, value := range values {
		data := appendObject(nil, []stores.Field{{Name: `a "name"`, Value: []byte(value)}, {Name: "field1", Value: []byte("other")}})
		var known map[string]string
		if err := json.Unmarshal(data[1:], &known); err != nil || len(known) != 2 {
			t.Errorf("%q becomes %s: %v", value, data, err)
		}
		if got, err := read(data); err != nil || got[`a "name"`] != value || got["field1"] != "other" {
			t.Errorf("%q: %q, %v", value, got, err)
		}
	}
}

func TestTextStaysTextInAnObject(t *testing.T) {
	if got, want := appendObject(nil, []stores.Field{{Name: "f", Value: []byte("as it is")}}), "\x01{\"f\":\"as it is\"}"; string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWhatIsNoObjectOfTextsIsRefused(t *testing.T) {
	for _, data := range []string{"", "\x01", "{}", "\x02{}", "\x01[]", "\x01{1}", "\x01{\"a\"}", "\x01{\"a\":1}", "\x01{\"a\": {}}",
		"\x01{\"a\":\"b\",}", "\x01{\"a\":\"\\q\"}", "\x01{\"a\":\"\\u12\"}", "\x01{\"a\":\"b\" \"c\":\"d\"}", "\x01{\"a\":\"\\\\x0\"}"} {
		if got, err := read([]byte(data)); err == nil {
			t.Errorf("%q: %q", data, got)
		}
	}
	if got, err := read([]byte("\x01{}")); err != nil || len(got) != 0 {
		t.Errorf("an empty object: %q, %v", got, err)
	}
}

func TestReadingObjectsOfOneShapeAllocatesNothing(t *testing.T) {
	data := appendObject(nil, []stores.Field{{Name: "field0", Value: []byte("value")}, {Name: "field1", Value: []byte("\x00")}})
	s := session{jsonb: true}
	if n := testing.AllocsPerRun(100, func() {
		s.buffer, s.fields = s.buffer[:0], s.fields[:0]
		if err := s.takeObject(data); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whatever encoding/json takes for an object of texts is one here, with the same texts.
func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"a": "b", "c": "\u00e9\ud83d\ude00\n"}`))
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"a": "\ud83d"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		// PostgreSQL writes no space but one behind a colon and a comma, and no name twice.
		var known map[string]string
		if json.Unmarshal(text, &known) != nil || known == nil {
			_, _ = read(append([]byte{1}, text...)) // it doesn't panic
			return
		}
		var fields []stores.Field
		for name, value := range known {
			if !isText([]byte(name)) {
				return
			}
			fields = append(fields, stores.Field{Name: name, Value: []byte(value)})
		}
		again, err := json.Marshal(known)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{append([]byte{1}, again...), appendObject(nil, fields)} {
			got, err := read(data)
			if bytes.Contains(data, []byte(`"\\x`)) && !bytes.Equal(data, appendObject(nil, fields)) {
				continue // a text that begins like bytes, which nobody here writes
			}
			if err != nil || len(got) != len(known) {
				t.Fatalf("%s: %q, %v", data, got, err)
			}
			for name, value := range known {
				if got[name] != value {
					t.Fatalf("%s: %q is %q", data, name, got[name])
				}
			}
		}
	})
}

func TestALongEndlessTextIsRefused(t *testing.T) {
	if _, err := read(append([]byte("\x01{\"a\":\""), bytes.Repeat([]byte("x"), 1<<20)...)); !errors.Is(err, errObject) {
		t.Error(err)
	}
}
