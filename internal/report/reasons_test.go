package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestEveryReasonIsDocumented(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "reasons.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
				reason, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				reasons = append(reasons, reason)
			}
		}
		return true
	})
	if len(reasons) < 10 {
		t.Fatalf("found only %v", reasons)
	}
	for _, document := range []struct{ file, quote string }{{"../../docs/reference/validity.md", "`"}, {"../../docs/reference/report.schema.json", `"`}} {
		data, err := os.ReadFile(document.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, reason := range reasons {
			if !strings.Contains(string(data), document.quote+reason+document.quote) {
				t.Errorf("%s does not name %s", document.file, reason)
			}
		}
	}
}
