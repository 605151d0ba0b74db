package watch

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/watch/frame"
	"github.com/kvbench/kvbench/internal/cli/watch/view"
	"github.com/kvbench/kvbench/internal/results/wire"
)

var begin = time.Unix(1_700_000_000, 0)

func after(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }

// runWith is a run that was created at begin.
func runWith(uid string, conditions ...string) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "r", Namespace: "default", UID: types.UID(uid), CreationTimestamp: metav1.NewTime(begin)}}
	run.Spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "a"}}
	run.Status.Workloads = []v1alpha1.WorkloadStatus{{Name: "a", StartedAtUnixNanos: 1}}
	for _, c := range conditions {
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: c, Status: metav1.ConditionTrue, Reason: "R", Message: "m"})
	}
	return run
}

func answerOf(at time.Time, run *v1alpha1.BenchmarkRun) clusterAnswer {
	return clusterAnswer{at: at, object: run, run: run}
}

// fed is a model of the run u after these messages.
func fed(messages ...any) model {
	m := newModel(runWith("u"), begin)
	for _, message := range messages {
		m = m.update(message)
	}
	return m
}

func TestAServerThatDoesNotAnswerIsShownAndItsLastWordStays(t *testing.T) {
	broken := errors.New("connection refused")
	live := &wire.Live{Workload: "a", ElapsedSeconds: 5, AgeMillis: 1000, Throughput: 99, Recent: []int64{99}, Members: []wire.LiveMember{{Name: "m"}}}
	m := fed(answerOf(after(1), runWith("u")), liveAnswer{at: after(2), uid: "u", live: live},
		clusterAnswer{at: after(3), err: broken}, liveAnswer{at: after(4), uid: "u", err: broken}, after(14))
	f := m.frame()
	if want := (frame.Silence{Seconds: 13, Trouble: "connection refused"}); f.Cluster == nil || *f.Cluster != want {
		t.Errorf("the API server is silent: %+v, want %+v", f.Cluster, want)
	}
	if want := (frame.Silence{Seconds: 12, Trouble: "connection refused"}); f.Results == nil || *f.Results != want {
		t.Errorf("the results server is silent: %+v, want %+v", f.Results, want)
	}
	if f.Run.Load == nil || f.Run.Load.Figures.Served != 99 || f.Run.Load.Figures.AgeSeconds != 13 || f.Run.MembersAgeSeconds != 12 {
		t.Errorf("the last figures are gone, or don't age: %+v", f.Run.Load)
	}
	if f.Run.Load.ElapsedSeconds != 19 { // the run goes on: 6 s at the end of that second, which is 13 s old
		t.Errorf("the clock says %d s", f.Run.Load.ElapsedSeconds)
	}
	m = m.update(answerOf(after(15), runWith("u"))).update(liveAnswer{at: after(15), uid: "u", live: live}).update(after(30))
	m = m.update(answerOf(after(29), runWith("u")))
	if f := m.frame(); f.Cluster != nil || f.Results != nil || f.Run.Load.Figures.AgeSeconds != 16 {
		t.Errorf("still silent: %+v and %+v, figures %+v", f.Cluster, f.Results, f.Run.Load.Figures)
	}
}

func TestOfAnAddressThatIsNotReachedTheCauseIsShown(t *testing.T) {
	network := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	f := fed(clusterAnswer{at: after(1), err: fmt.Errorf("a long sentence: %w", network)}, after(20)).frame()
	if f.Cluster == nil || f.Cluster.Trouble != "dial tcp: connection refused" {
		t.Errorf("%+v", f.Cluster)
	}
}

func TestAShortSilenceIsNotShown(t *testing.T) {
	if f := fed(answerOf(after(1), runWith("u")), clusterAnswer{at: after(2), err: errors.New("x")}, after(3)).frame(); f.Cluster != nil {
		t.Errorf("%+v", f.Cluster)
	}
}

// A request may be under way for long, and then there is no error yet. The results server is not always asked.
func TestAnAnswerThatTakesLongIsShown(t *testing.T) {
	f := fed(answerOf(after(1), runWith("u")), liveAnswer{at: after(1), uid: "u"}, after(20)).frame()
	if f.Cluster == nil || f.Cluster.Seconds != 19 || f.Results != nil {
		t.Errorf("%+v and %+v", f.Cluster, f.Results)
	}
}

func TestWatchEndsByItselfOnlyWhenThereIsNothingToWatch(t *testing.T) {
	broken := errors.New("connection refused")
	for _, c := range []struct {
		what     string
		messages []any
		want     string // a part of the error; "" for none
		code     int
	}{
		{"the API server is silent for a day", []any{answerOf(after(0), runWith("u")), clusterAnswer{at: after(1), err: broken}, after(86_400)}, "", 0},
		{"the results server is silent for a day", []any{liveAnswer{at: after(1), uid: "u", err: broken}, after(86_400)}, "", 0},
		{"the run was deleted", []any{clusterAnswer{at: after(1), err: broken, gone: true}}, "run/r was deleted before its end", exit.Failed},
		{"another run has its name", []any{answerOf(after(1), runWith("other"))}, "run/r was deleted before its end", exit.Failed},
		{"the run was deleted after its end", []any{answerOf(after(1), runWith("u", "Complete", "Valid")), clusterAnswer{at: after(2), gone: true, err: broken}}, "", 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			err := fed(c.messages...).failure()
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) || exit.Code(err) != c.code {
				t.Errorf("%v with code %d, want %q with %d", err, exit.Code(err), c.want, c.code)
			}
		})
	}
}

func TestTheLastFrameHasTheVerdict(t *testing.T) {
	for _, c := range []struct {
		conditions []string
		ended      bool
		code       int
	}{
		{nil, false, 0},
		{[]string{"Complete", "Valid"}, true, 0},
		{[]string{"Complete"}, true, exit.Unknown},
		{[]string{"Failed"}, true, exit.Failed},
	} {
		f := fed(answerOf(after(9), runWith("u", c.conditions...))).frame()
		if f.Ended != c.ended || f.ExitCode != c.code || (len(f.Verdict) > 0) != c.ended {
			t.Errorf("%v: ended %t with %d: %q", c.conditions, f.Ended, f.ExitCode, f.Verdict)
		}
	}
}

func TestTheAgeOfARunThatHasEndedStands(t *testing.T) {
	run := runWith("u", "Complete", "Valid")
	end := metav1.NewTime(after(70))
	run.Status.CompletionTime = &end
	if f := fed(answerOf(after(80), run), after(500)).frame(); f.AgeSeconds != 70 {
		t.Errorf("%d s", f.AgeSeconds)
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "", errors.New("x"))
	f := fed(liveAnswer{at: after(1), uid: "u", err: errors.New("no token"), refused: true}, eventsAnswer{uid: "u", err: forbidden}, after(60)).frame()
	if len(f.Missing) != 2 || f.Missing[0] != "no live figures: no token" || !strings.HasPrefix(f.Missing[1], "no events: events is forbidden") || f.Results != nil {
		t.Errorf("%q, results server %+v", f.Missing, f.Results)
	}
	if f := fed(eventsAnswer{uid: "u", err: errors.New("connection refused")}, after(1)).frame(); len(f.Missing) != 0 {
		t.Errorf("%q", f.Missing)
	}
}

func TestAnswersAboutAnotherRunAreNotShown(t *testing.T) {
	m := fed(liveAnswer{at: after(1), uid: "other", live: &wire.Live{Workload: "a", Recent: []int64{1}}}, eventsAnswer{uid: "other", events: []frame.Event{{Reason: "x"}}})
	if m.live != nil || len(m.events) != 0 {
		t.Errorf("%+v, %+v", m.live, m.events)
	}
}

func TestTheNextRunOfASuiteBeginsWithoutTheFiguresOfTheLast(t *testing.T) {
	suite := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Name: "s", UID: "s"}}
	answer := func(run *v1alpha1.BenchmarkRun, renewed bool) clusterAnswer {
		return clusterAnswer{at: begin, object: suite, run: run, renewed: renewed, matrix: []frame.Row{{Combination: "c"}}}
	}
	m := newModel(suite, begin)
	m = m.update(answer(runWith("first"), true)).update(liveAnswer{uid: "first", live: &wire.Live{}}).update(eventsAnswer{uid: "first", events: []frame.Event{{}}})
	if m.live == nil || len(m.events) != 1 || m.frame().Suite.Run == nil || len(m.frame().Suite.Rows) != 1 {
		t.Fatalf("%+v", m)
	}
	m = m.update(answer(runWith("second"), false))
	if m.live != nil || len(m.events) != 0 || len(m.rows) != 1 {
		t.Errorf("%+v", m)
	}
	m = m.update(answer(nil, false))
	if m.run != nil || m.frame().Suite.Run != nil {
		t.Errorf("a run is under way between two")
	}
}

func TestWithoutANewMatrixTheOldOneStays(t *testing.T) {
	suite := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Name: "s", UID: "s"}}
	failed := clusterAnswer{at: begin, object: suite, renewed: true, matrixErr: errors.New("forbidden")}
	m := newModel(suite, begin).update(failed)
	if f := m.frame(); !slices.Equal(f.Missing, []string{"no matrix: forbidden"}) {
		t.Errorf("%q", f.Missing)
	}
	m = m.update(clusterAnswer{at: begin, object: suite, renewed: true, matrix: []frame.Row{{Combination: "c"}}})
	if f := m.frame(); len(f.Missing) != 0 || len(f.Suite.Rows) != 1 {
		t.Errorf("%q, %+v", f.Missing, f.Suite.Rows)
	}
	m = m.update(failed)
	if f := m.frame(); !slices.Equal(f.Missing, []string{"the matrix is an older one: forbidden"}) || len(f.Suite.Rows) != 1 {
		t.Errorf("%q, %+v", f.Missing, f.Suite.Rows)
	}
}

func TestARefusalIsOfOneRun(t *testing.T) {
	suite := &v1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Name: "s", UID: "s"}}
	m := newModel(suite, begin)
	m = m.update(clusterAnswer{at: begin, object: suite, run: runWith("first")})
	m = m.update(liveAnswer{at: after(1), uid: "first", err: errors.New("no right"), refused: true})
	if f := m.frame(); len(f.Missing) != 1 {
		t.Fatalf("%q", f.Missing)
	}
	m = m.update(clusterAnswer{at: after(60), object: suite, run: runWith("second")}).update(after(60))
	if f := m.frame(); len(f.Missing) != 0 || f.Results != nil {
		t.Errorf("%q, %+v", f.Missing, f.Results)
	}
}

// quits says whether the display ends after the message.
func quits(t *testing.T, message tea.Msg) (display, bool) {
	t.Helper()
	d := display{model: newModel(runWith("u"), begin), drawn: view.Screen{Width: 80, Height: 24}}
	next, command := d.Update(message)
	after, is := next.(display)
	if !is {
		t.Fatalf("%T", next)
	}
	return after, command != nil && command() == tea.Quit()
}

func TestTheScreenEndsWithTheRunAndWhenSomebodyLeaves(t *testing.T) {
	for _, c := range []struct {
		what    string
		message tea.Msg
		quits   bool
		left    bool
	}{
		{"q", tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q")}, true, true},
		{"Ctrl-C", tea.KeyMsg{Type: tea.KeyCtrlC}, true, true},
		{"another key", tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x")}, false, false},
		{"an answer", answerOf(after(1), runWith("u")), false, false},
		{"the end", answerOf(after(1), runWith("u", "Complete", "Valid")), true, false},
		{"the run was deleted", clusterAnswer{at: after(1), gone: true, err: errors.New("x")}, true, false},
		{"a new size", tea.WindowSizeMsg{Width: 40, Height: 10}, false, false},
	} {
		if d, quit := quits(t, c.message); quit != c.quits || d.left != c.left {
			t.Errorf("%s: quits %t, left %t", c.what, quit, d.left)
		}
	}
}

func TestANewSizeIsDrawnOn(t *testing.T) {
	d, _ := quits(t, tea.WindowSizeMsg{Width: 12, Height: 2})
	for _, line := range strings.Split(d.View(), "\n") {
		if len([]rune(line)) > 12 {
			t.Errorf("%q is too wide", line)
		}
	}
	if d.drawn.Height != 2 {
		t.Errorf("%+v", d.drawn)
	}
}
