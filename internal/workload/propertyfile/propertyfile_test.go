package propertyfile

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

func TestPropertyFilesAreReadAsJavaDoes(t *testing.T) {
	for _, c := range []struct {
		name string
		file string
		want map[string]string
	}{
		{"nothing", "", nil},
		{"separators", "a=1\nb:2\nc 3\nd\t=\t4\ne = : 5\nf", map[string]string{"a": "1", "b": "2", "c": "3", "d": "4", "e": ": 5", "f": ""}},
		{"comments and blank lines", "# a=1\n  ! b=2\n\n \t\nc=#3 # too\n", map[string]string{"c": "#3 # too"}},
		{"a comment is not continued", "# a \\\nb=1", map[string]string{"b": "1"}},
		{"line ends", "a=1\rb=2\r\nc=3\n\n\rd=4", map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}},
		{"blanks behind a value stay", "a= 1 \n", map[string]string{"a": "1 "}},
		{"a continued value", "a=1,\\\n   2,\\\r\n\t3\nb=4", map[string]string{"a": "1,2,3", "b": "4"}},
		{"a continued name", "fie\\\n  ld=1", map[string]string{"field": "1"}},
		{"no comment within a continued line", "a=1\\\n#2", map[string]string{"a": "1#2"}},
		{"continued by a blank line", "a=1\\\n\nb=2", map[string]string{"a": "1", "b": "2"}},
		{"an even number of backslashes", `a=1\\` + "\nb=2", map[string]string{"a": `1\`, "b": "2"}},
		{"continued by the end", `a=1\`, map[string]string{"a": "1"}},
		{"a backslash alone", "\\\na=1\n\\\n", map[string]string{"a": "1"}},
		{"escapes", `a\=b\:c\ d=\t\n\r\f\q\\`, map[string]string{"a=b:c d": "\t\n\r\fq\\"}},
		{"unicode", `a=\u00e9\uD83D\uDE00\u0041`, map[string]string{"a": "é😀A"}},
		{"the last one counts", "a=1\nb=2\na=3", map[string]string{"a": "3", "b": "2"}},
		{"comments of any encoding", "# caf\xe9 é\na=1", map[string]string{"a": "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Read(strings.NewReader(c.file), "w")
			if err != nil || !maps.Equal(got, c.want) {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestABrokenPropertyFileNamesFileAndLine(t *testing.T) {
	many := strings.Builder{}
	for i := range maxProperties + 1 {
		fmt.Fprintf(&many, "p%d=\n", i)
	}
	for _, c := range []struct{ file, want string }{
		{"a=1\n\n# x\nb=\\u12", "workloads/workloada:4: \\u needs four"},
		{`a=\u12g4`, "workloads/workloada:1: \\u needs four"},
		{"a=1\\\n2\\\n3\nb=\xff", "workloads/workloada:4: the byte 0xff"},
		{"=1", "workloads/workloada:1: a value without a name"},
		{many.String(), fmt.Sprintf("workloads/workloada:%d: more than", maxProperties+1)},
		{"a=" + strings.Repeat("x", MaxBytes), "workloads/workloada: longer than"},
	} {
		_, err := Read(strings.NewReader(c.file), "workloads/workloada")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.40q: error %v, want %s…", c.file, err, c.want)
		}
	}
}

// What is wrong with a property is said with its place, whoever finds it.
// Editors on Windows put one before a file.
func TestAByteOrderMarkIsNoPartOfAFile(t *testing.T) {
	for _, text := range []string{"recordcount=5\n", "# of A\nrecordcount=5\n"} {
		if got, err := Read(strings.NewReader("\ufeff"+text), "w"); err != nil || len(got) != 1 || got["recordcount"] != "5" {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"\xff\xfea\x00=\x00b\x00", "\xfe\xff\x00a\x00=\x00b"} {
		if _, err := Read(strings.NewReader(text), "w"); err == nil || !strings.Contains(err.Error(), "w: is UTF-16") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What was read and is written with all escaped reads the same.
func FuzzRead(f *testing.F) {
	f.Add("a=1\n# c\nb : 2\\\n  3\n\\u00e9=\\\\")
	f.Add("\\\n\\\r\n=\f:!\\u")
	f.Fuzz(func(t *testing.T, file string) {
		properties, err := Read(strings.NewReader(file), "w")
		if err != nil {
			if properties != nil || !strings.HasPrefix(err.Error(), "w:") {
				t.Fatalf("%v, %v", properties, err)
			}
			return
		}
		var again strings.Builder
		escape := func(text string) {
			for _, r := range text {
				if r > 0xffff {
					r -= 0x10000
					fmt.Fprintf(&again, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
				} else {
					fmt.Fprintf(&again, `\u%04x`, r)
				}
			}
		}
		for key, value := range properties {
			escape(key)
			again.WriteByte('=')
			escape(value)
			again.WriteByte('\n')
		}
		if again.Len() > MaxBytes {
			return
		}
		got, err := Read(strings.NewReader(again.String()), "w")
		if err != nil || !maps.Equal(got, properties) {
			t.Fatalf("%q read again: %q, %v", properties, got, err)
		}
	})
}
