package admission

import "testing"

func TestAPlanOfAnotherVersionIsTheSame(t *testing.T) {
	const plan, other = `{"format":1,"kvbench":"v1","seed":7}`, `{"format":1,"kvbench":"v2","seed":7}`
	for document, same := range map[string]bool{plan: true, other: true, `{"format":1,"seed":7}`: true, `{"format":1,"kvbench":"v1","seed":8}`: false, `{`: false, ``: false} {
		if samePlan([]byte(document), []byte(plan)) != same {
			t.Errorf("%s: want %t", document, same)
		}
	}
}
