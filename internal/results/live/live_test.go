package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

const (
	podUID  = "aaaaaaaa-0000-4000-8000-000000000001"
	pod2UID = "aaaaaaaa-0000-4000-8000-000000000002"
)

var start = time.Unix(1_700_000_000, 0)

// begun is a workload of two workers that warms up for five seconds.
func begun() *Workload { return &Workload{Name: "a", Workers: 2, WarmupMillis: 5000, Start: start} }

func worker(index int, kind string) string {
	return bundle.Writer{Role: bundle.RoleWorker, Workload: "a", Index: index, PodUID: podUID}.File(kind)
}

func observerFile(uid string) string {
	return bundle.Writer{Role: bundle.RoleObserver, PodUID: uid}.File(bundle.Jsonl)
}

// folder has files by name.
type folder map[string][]byte

// at is the view at so many milliseconds after the start.
func (f folder) at(t *testing.T, workload *Workload, millis int64) wire.Live {
	t.Helper()
	var names []string
	for name := range f {
		names = append(names, name)
	}
	view, err := Of(workload, names, func(name string, most int64) (Tail, error) { return tailOf(f[name], most), nil })
	if err != nil {
		t.Fatal(err)
	}
	return view.At(start.Add(time.Duration(millis) * time.Millisecond))
}

func tailOf(text []byte, most int64) Tail {
	if int64(len(text)) <= most {
		return Tail{Text: text}
	}
	_, text, _ = bytes.Cut(text[int64(len(text))-most:], []byte("\n"))
	return Tail{Text: text, Cut: true}
}

func TestFilesOfOthersAreNotRead(t *testing.T) {
	other := bundle.Writer{Role: bundle.RoleWorker, Workload: "b", PodUID: podUID}
	loader := bundle.Writer{Role: bundle.RoleLoad, Workload: "a", PodUID: podUID}
	read := map[string]bool{}
	names := []string{worker(0, bundle.Bins), worker(1, bundle.Bins), worker(0, bundle.Jsonl), other.File(bundle.Bins), loader.File(bundle.Hlog), observerFile(podUID), bundle.PlanFile}
	_, err := Of(begun(), names, func(name string, _ int64) (Tail, error) {
		read[name] = true
		return Tail{}, nil
	})
	want := map[string]bool{worker(0, bundle.Bins): true, worker(1, bundle.Bins): true, worker(0, bundle.Jsonl): true, observerFile(podUID): true}
	if err != nil || !reflect.DeepEqual(read, want) {
		t.Errorf("%v, %v", read, err)
	}
}

// A view is told again for a while, so its ages are of the moment at which it is told.
func TestAgesAreOfTheAnswer(t *testing.T) {
	line, err := json.Marshal(topology(start, "leader"))
	if err != nil {
		t.Fatal(err)
	}
	log := logRow(t, "READ", start.Unix(), 7) + logRow(t, "LAG", start.Unix()+1, 1)
	f := folder{observerFile(podUID): append(line, '\n'), worker(0, bundle.Bins): rows(0, 10), worker(1, bundle.Bins): rows(0, 10),
		worker(0, bundle.Hlog): []byte(log), worker(1, bundle.Hlog): []byte(log)}
	view, err := Of(begun(), slices.Collect(maps.Keys(f)), func(name string, most int64) (Tail, error) { return tailOf(f[name], most), nil })
	if err != nil {
		t.Fatal(err)
	}
	for millis, members := range map[int64]int{10_000: 1, 10_700: 1, 15_100: 0} {
		told := view.At(start.Add(time.Duration(millis) * time.Millisecond))
		if told.AgeMillis != millis-10_000 || told.Ended.AgeMillis != millis-1000 || len(told.Members) != members || members > 0 && told.MembersAgeMillis != millis {
			t.Errorf("%d ms after the start: %+v, %+v", millis, told, told.Ended)
		}
	}
}

func TestAFileThatCannotBeReadIsAnError(t *testing.T) {
	broken := errors.New("input/output error")
	for _, name := range []string{worker(0, bundle.Bins), worker(0, bundle.Hlog), observerFile(podUID)} {
		workload := begun()
		workload.Workers = 1
		view, err := Of(workload, []string{name}, func(string, int64) (Tail, error) { return Tail{}, broken })
		if !errors.Is(err, broken) || view != nil {
			t.Errorf("%s: %+v, %v", name, view, err)
		}
	}
}

func TestWithoutAWorkloadTheMembersAreToldAlone(t *testing.T) {
	line, err := json.Marshal(topology(start, "leader"))
	if err != nil {
		t.Fatal(err)
	}
	f := folder{observerFile(podUID): append(line, '\n'), worker(0, bundle.Bins): rows(0, 10), worker(1, bundle.Bins): rows(0, 10)}
	want := wire.Live{Term: 1, Members: []wire.LiveMember{{Name: "a", Role: "leader", Up: true}}, MembersAgeMillis: 700}
	if told := f.at(t, nil, 700); !reflect.DeepEqual(told, want) {
		t.Errorf("%+v, want %+v", told, want)
	}
}
