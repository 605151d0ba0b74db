package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
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
	told, err := Of(workload, names, start.Add(time.Duration(millis)*time.Millisecond), func(name string, most int64) (Tail, error) {
		text := f[name]
		if int64(len(text)) <= most {
			return Tail{Text: text}, nil
		}
		_, text, _ = bytes.Cut(text[int64(len(text))-most:], []byte("\n"))
		return Tail{Text: text, Cut: true}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return told
}

func TestFilesOfOthersAreNotRead(t *testing.T) {
	other := bundle.Writer{Role: bundle.RoleWorker, Workload: "b", PodUID: podUID}
	loader := bundle.Writer{Role: bundle.RoleLoad, Workload: "a", PodUID: podUID}
	read := map[string]bool{}
	names := []string{worker(0, bundle.Bins), worker(1, bundle.Bins), worker(0, bundle.Jsonl), other.File(bundle.Bins), loader.File(bundle.Hlog), observerFile(podUID), bundle.PlanFile}
	_, err := Of(begun(), names, start, func(name string, _ int64) (Tail, error) {
		read[name] = true
		return Tail{}, nil
	})
	want := map[string]bool{worker(0, bundle.Bins): true, worker(1, bundle.Bins): true, observerFile(podUID): true}
	if err != nil || !reflect.DeepEqual(read, want) {
		t.Errorf("%v, %v", read, err)
	}
}

func TestAFileThatCannotBeReadIsAnError(t *testing.T) {
	broken := errors.New("input/output error")
	for _, name := range []string{worker(0, bundle.Bins), worker(0, bundle.Hlog), observerFile(podUID)} {
		workload := begun()
		workload.Workers = 1
		told, err := Of(workload, []string{name}, start, func(string, int64) (Tail, error) { return Tail{}, broken })
		if !errors.Is(err, broken) || !reflect.DeepEqual(told, wire.Live{}) {
			t.Errorf("%s: %+v, %v", name, told, err)
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
