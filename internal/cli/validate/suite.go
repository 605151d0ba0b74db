package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/validate/definition"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/suite"
)

// suiteChecker does what the suites' controller does before it makes the first run, without what only a cluster has.
type suiteChecker struct {
	of           *v1alpha1.BenchmarkSuite
	definition   *definition.Definition // of its runs
	runs         *runChecker
	combinations []suite.Combination
	problems     suite.Problems
}

// check finds all that is wrong at once. The suite fits its definition. The error is the context's.
func (c *suiteChecker) check(ctx context.Context) ([]Finding, error) {
	c.combinations, c.problems = suite.Expand(&c.of.Spec)
	c.checkObjectives()
	c.checkUntil()
	if err := c.checkRuns(ctx); err != nil {
		return nil, err
	}
	findings := []Finding{}
	for _, p := range c.problems {
		found := c.findingOf(p.Message)
		found.Combinations = p.Combinations
		findings = append(findings, found)
	}
	return findings, nil
}

// unknownField is how a suite's problem says that the spec of a combination has a field that there isn't.
var unknownField = regexp.MustCompile(`^the run's spec: unknown field "([^"]+)"$`)

// findingOf is a problem's. Of an unknown field it names the nearest one.
func (c *suiteChecker) findingOf(problem string) Finding {
	if parts := unknownField.FindStringSubmatch(problem); parts != nil {
		return Finding{Finding: c.definition.UnknownField("spec." + parts[1])}
	}
	return findingOf(problem)
}

// checkObjectives notes the objectives that nothing in a combination's run can have a figure for.
func (c *suiteChecker) checkObjectives() {
	for i, o := range suite.Objectives(&c.of.Spec, c.combinations) {
		for _, subject := range o.Subjects {
			for _, index := range subject.Indices() {
				combination := &c.combinations[index]
				if err := compile.CheckObjective(&combination.Spec, &o.Objective, nil); err != nil {
					c.problems.Add(combination.Name(), fmt.Sprintf("compare.objectives[%d].%v", i, err))
				}
			}
		}
	}
}

// checkUntil notes what a suite can't get to know, since nothing in a combination's run has such a figure.
func (c *suiteChecker) checkUntil() {
	until := suite.Until(&c.of.Spec)
	if until == nil {
		return
	}
	figure := plan.Objective{Metric: until.Metric, Operation: until.Operation, AtMost: &until.HalfWidth}
	for i := range c.combinations {
		if err := compile.CheckObjective(&c.combinations[i].Spec, &figure, nil); err != nil {
			c.problems.Add(c.combinations[i].Name(), fmt.Sprintf("trials.until.%v", err))
		}
	}
}

// checkRuns looks at each combination in a run of its own. If all are well, it looks at the runs that several share.
func (c *suiteChecker) checkRuns(ctx context.Context) error {
	stores, err := suite.Stores(&c.of.Spec, c.combinations, nil)
	if err != nil {
		return err
	}
	for _, store := range stores {
		for _, i := range store.Combinations {
			if err := c.checkTurn(ctx, &suite.Turn{Combinations: []int{i}}); err != nil {
				return err
			}
		}
	}
	if len(c.problems) > 0 {
		return nil
	}
	for _, turn := range suite.Turns(suite.Seed(c.of), stores, 1) {
		if !turn.Shared {
			continue
		}
		if err := c.checkTurn(ctx, &turn); err != nil {
			return err
		}
	}
	return nil
}

// checkTurn notes what is wrong with one run.
func (c *suiteChecker) checkTurn(ctx context.Context, turn *suite.Turn) error {
	about, run := suite.NameOf(c.combinations, turn), c.runOf(turn)
	content, err := asContent(run)
	if err != nil {
		return err
	}
	found := c.definition.Check(ctx, content)
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, f := range found {
		c.problems.Add(about, strings.TrimPrefix(f.Field+": "+f.Message, ": "))
	}
	if len(found) > 0 {
		return nil
	}
	if refusal := c.runs.refusal(run); refusal != "" {
		c.problems.Add(about, refusal)
	}
	return nil
}

// runOf is the first run that the suite makes of a turn.
func (c *suiteChecker) runOf(turn *suite.Turn) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{Spec: *suite.SpecOf(c.combinations, turn, suite.Seed(c.of))}
	run.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(definition.Run))
	run.ObjectMeta = metav1.ObjectMeta{Namespace: c.of.Namespace, Name: suite.RunName(nameOr(c.of.Name, c.of.GenerateName), turn, 0)}
	return run
}

// nameOr is the name, or one that the API server might make of its begin.
func nameOr(name, begin string) string {
	if name != "" {
		return name
	}
	return begin + "abcde"
}

// asContent is an object as the API server gets it.
func asContent(run *v1alpha1.BenchmarkRun) (content map[string]any, err error) {
	text, err := json.Marshal(run)
	if err != nil {
		return nil, fmt.Errorf("writing a run: %w", err)
	}
	err = utiljson.Unmarshal(text, &content)
	return content, err
}
