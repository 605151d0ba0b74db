package resp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func read(text string, commands int) (*Answer, *bufio.Reader, error) {
	in := bufio.NewReader(strings.NewReader(text))
	a := &Answer{}
	return a, in, a.Read(in, commands)
}

func TestARequestIsAsTheProtocolHasIt(t *testing.T) {
	var r Request
	r.Command("PING")
	r.Begin(3)
	r.Text("SET")
	r.Word([]byte("a\r\n"))
	r.Number(-12)
	var other Request
	other.Command("GET", "a")
	r.Append(&other)
	const want = "*1\r\n$4\r\nPING\r\n*3\r\n$3\r\nSET\r\n$3\r\na\r\n\r\n$3\r\n-12\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n"
	if got := string(r.Bytes()); got != want || r.Commands() != 3 {
		t.Errorf("%d commands: %q, want %q", r.Commands(), got, want)
	}
	r.Reset()
	if len(r.Bytes()) != 0 || r.Commands() != 0 {
		t.Errorf("after a reset: %q", r.Bytes())
	}
}

// describe writes an answer as it was read.
func describe(v Value) string {
	if err := v.Err(); err != nil {
		return "error " + err.Error()
	}
	if v.IsNull() {
		return "null"
	}
	if bytes, ok := v.Bytes(); ok {
		return fmt.Sprintf("%q", bytes)
	}
	if number, err := v.Number(); err == nil {
		return fmt.Sprint(number)
	}
	items, _ := v.List()
	var parts []string
	for item, more := items.Next(); more; item, more = items.Next() {
		parts = append(parts, describe(item))
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func TestAnAnswerIsReadWhole(t *testing.T) {
	for text, want := range map[string]string{
		"+OK\r\n":                               `"OK"`,
		"-ERR no\r\n":                           "error ERR no",
		":-7\r\n":                               "-7",
		":9223372036854775807\r\n":              "9223372036854775807",
		"$-1\r\n":                               "null",
		"*-1\r\n":                               "null",
		"$0\r\n\r\n":                            `""`,
		"$4\r\na\r\nb\r\n":                      `"a\r\nb"`,
		"*0\r\n":                                "[]",
		"*3\r\n*2\r\n:1\r\n:2\r\n$-1\r\n+x\r\n": `[[1 2] null "x"]`,
		"*2\r\n-WRONGTYPE no\r\n*1\r\n*0\r\n":   "[error WRONGTYPE no [[]]]",
		"$200000\r\n" + strings.Repeat("a", 200000) + "\r\n": `"` + strings.Repeat("a", 200000) + `"`,
	} {
		a, in, err := read(text+"rest", 1)
		if err != nil {
			t.Errorf("%.40q: %v", text, err)
			continue
		}
		if got := describe(a.Of(0)); got != want {
			t.Errorf("%.40q is read as %.60s, want %.60s", text, got, want)
		}
		if rest, _ := io.ReadAll(in); string(rest) != "rest" {
			t.Errorf("%.40q: it left %.40q", text, rest)
		}
	}
}

func TestWhatIsNoAnswerIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "\r\n", "x\r\n", "+OK\n", ":\r\n", ":a\r\n", ":99999999999999999999\r\n", "$-2\r\n", "$5\r\nabc\r\n", "$1\r\nabc\r\n", "$99999999999\r\n",
		"*99999999\r\n", "*1\r\n", strings.Repeat("*1\r\n", maxDepth+2) + ":1\r\n", "+" + strings.Repeat("a", 10000) + "\r\n",
	} {
		if a, _, err := read(text, 1); err == nil || a.Len() != 0 {
			t.Errorf("%.40q is read as %.60s", text, describe(a.Of(0)))
		}
	}
}

func TestAnswersBeforeTheEndAreKept(t *testing.T) {
	a, _, err := read("+OK\r\n-READONLY it is\r\n*2\r\n:1\r\n", 3)
	if !errors.Is(err, io.EOF) || a.Len() != 2 || describe(a.Of(1)) != "error READONLY it is" {
		t.Errorf("%v, with %d answers", err, a.Len())
	}
}

func TestAnAnswerOfAnotherKindIsSaid(t *testing.T) {
	a, _, err := read("+1\r\n:2\r\n*1\r\n:1\r\n-ERR no\r\n", 4)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := a.Of(0).Unsigned(); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	_, ofText := a.Of(0).Number()
	_, ofNumber := a.Of(1).Text()
	_, ofList := a.Of(2).Texts()
	_, ofError := a.Of(3).Texts()
	if ofText == nil || ofNumber == nil || ofList == nil {
		t.Errorf("%v, %v, %v", ofText, ofNumber, ofList)
	}
	var said Error
	if !errors.As(ofError, &said) || said != "ERR no" {
		t.Errorf("an error is %v", ofError)
	}
	var taken Answer
	taken.Take(a, 1)
	if n, err := taken.Of(0).Number(); n != 2 || err != nil || taken.Len() != 1 || a.Len() != 0 {
		t.Errorf("taken over: %d, %v", n, err)
	}
}

func TestReadingTakesNoMemoryOfItsOwn(t *testing.T) {
	text := "*4\r\n$6\r\nfield0\r\n$3\r\nabc\r\n$6\r\nfield1\r\n$3\r\ndef\r\n"
	source := strings.NewReader(text)
	in, a := bufio.NewReader(source), &Answer{}
	var r Request
	if allocations := testing.AllocsPerRun(100, func() {
		source.Reset(text)
		in.Reset(source)
		r.Reset()
		r.Command("HGETALL", "user1")
		if err := a.Read(in, 1); err != nil {
			t.Fatal(err)
		}
	}); allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func FuzzAnswer(f *testing.F) {
	for _, text := range []string{"+OK\r\n", "*2\r\n$1\r\na\r\n:1\r\n", "$-1\r\n", "-ERR\r\n", "*1\r\n*-1\r\n", "$3\r\nab", ":x\r\n"} {
		f.Add(text, 1)
	}
	f.Fuzz(func(t *testing.T, text string, commands int) {
		a, _, err := read(text, max(0, min(commands, 8)))
		for i := range a.Len() {
			if described := describe(a.Of(i)); described == "" {
				t.Error("an answer that is nothing")
			}
		}
		if err == nil && a.Len() != max(0, min(commands, 8)) {
			t.Errorf("%d answers to %d commands", a.Len(), commands)
		}
	})
}
