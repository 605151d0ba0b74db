package results

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/client"
)

func TestTheReportIsMadeOnceAndClosesTheBundle(t *testing.T) {
	h := registered(t)
	controller, worker := h.as("controller"), h.as("worker")
	_, err := worker.Append(t.Context(), runUID, fileA0, 0, []byte("data"))
	must(t, err)
	must(t, controller.PutFaults(t.Context(), runUID, []byte(`{"name":"kill"}`+"\n")))
	expect(t, "no environment", controller.PutEnvironment(t.Context(), runUID, []byte("node1")), statusError(400))
	must(t, controller.PutEnvironment(t.Context(), runUID, []byte(`{"nodes":[{"name":"node1"}]}`)))
	_, err = controller.GetReport(t.Context(), runUID)
	expect(t, "before it is made", err, client.ErrNotFound)
	first, err := controller.MakeReport(t.Context(), runUID)
	must(t, err)

	for _, restart := range []bool{false, true} {
		if restart {
			h.restart()
		}
		again, err := controller.MakeReport(t.Context(), runUID)
		must(t, err)
		got, err := h.as("reader").GetReport(t.Context(), runUID)
		must(t, err)
		if !bytes.Equal(first, again) || !bytes.Equal(first, got) {
			t.Errorf("reports differ: %s, %s, %s", first, again, got)
		}
		markdown, err := h.as("reader").GetMarkdown(t.Context(), runUID)
		must(t, err)
		if string(markdown) != "# report\n" {
			t.Errorf("markdown %q", markdown)
		}
		_, err = worker.Append(t.Context(), runUID, fileA0, 4, []byte("late"))
		expect(t, "an append", err, client.ErrReported)
		expect(t, "an end", worker.End(t.Context(), runUID, fileA0, endOf("data")), client.ErrReported)
		expect(t, "the same faults", controller.PutFaults(t.Context(), runUID, []byte(`{"name":"kill"}`+"\n")), nil)
		expect(t, "another environment, which changes nothing", controller.PutEnvironment(t.Context(), runUID, []byte(`{"nodes":[{"name":"late"}]}`)), nil)
		expect(t, "other faults", controller.PutFaults(t.Context(), runUID, nil), client.ErrReported)
		_, err = controller.StartIn(t.Context(), runUID, "b", 1e9)
		expect(t, "a start", err, client.ErrReported)
		expect(t, "a claim", worker.Claim(t.Context(), runUID, writerA0), client.ErrReported)
	}
}

func TestFaultsAreReplacedUntilTheReport(t *testing.T) {
	h := registered(t)
	controller := h.as("controller")
	for _, lines := range []string{`{"name":"a"}` + "\n", `{"name":"a"}` + "\n" + `{"name":"b"}` + "\n", ""} {
		must(t, controller.PutFaults(t.Context(), runUID, []byte(lines)))
		if got := string(h.onDisk(bundle.FaultsFile)); got != lines {
			t.Errorf("faults %q, want %q", got, lines)
		}
	}
	expect(t, "no lines", controller.PutFaults(t.Context(), runUID, []byte("name: a")), statusError(400))
}

func TestAFailedMergeLeavesTheRunOpen(t *testing.T) {
	var merge atomic.Value
	h := registered(t, func(c *Config) {
		c.Report = func(ctx context.Context, folder string, keep func(string, io.Reader) error) error {
			return merge.Load().(MergeFunc)(ctx, folder, keep)
		}
	})
	half := func(err error) MergeFunc {
		return func(_ context.Context, _ string, keep func(string, io.Reader) error) error {
			return errors.Join(keep(bundle.MarkdownFile, strings.NewReader("half")), err)
		}
	}
	for what, c := range map[string]struct {
		merge MergeFunc
		want  error
	}{
		"a bundle that gives none":   {half(&BadBundle{"row 7 is no row"}), client.ErrUnmergeable},
		"a process that can't start": {half(errors.New("out of processes")), statusError(500)},
	} {
		merge.Store(c.merge)
		_, err := h.as("controller").MakeReport(t.Context(), runUID)
		expect(t, what, err, c.want)
		_, err = h.as("reader").GetReport(t.Context(), runUID)
		expect(t, what, err, client.ErrNotFound)
		if left, _ := filepath.Glob(filepath.Join(h.config.Data, runsFolder, runUID, tempPrefix+"*")); len(left) > 0 {
			t.Errorf("%s: half written files stay: %v", what, left)
		}
	}
	_, err := h.as("worker").Append(t.Context(), runUID, fileA0, 0, []byte("more"))
	must(t, err)
	merge.Store(inProcess(listingReport))
	_, err = h.as("controller").MakeReport(t.Context(), runUID)
	must(t, err)
}

func TestNothingGrowsWhileTheReportIsMade(t *testing.T) {
	merging, finish := make(chan struct{}), make(chan struct{})
	h := registered(t, func(c *Config) {
		c.Report = inProcess(func(files fs.FS) ([]byte, []byte, error) {
			close(merging)
			<-finish
			return listingReport(files)
		})
	})
	done := make(chan error)
	go func() {
		_, err := h.as("controller").MakeReport(t.Context(), runUID)
		done <- err
	}()
	<-merging
	_, err := h.as("worker").Append(t.Context(), runUID, fileA0, 0, []byte("late"))
	expect(t, "an append", err, statusError(503))
	if !client.Transient(err) {
		t.Error("the worker is not told to come again")
	}
	close(finish)
	must(t, <-done)
}

func TestTheBundleIsWhole(t *testing.T) {
	h := registered(t)
	controller := h.as("controller")
	must(t, h.as("worker").Claim(t.Context(), runUID, writerA0))
	_, err := controller.StartIn(t.Context(), runUID, "a", 1e9)
	must(t, err)
	want := map[string]string{}
	for _, file := range []string{fileA0, writerA0.File(bundle.Bins), observer.File(bundle.Jsonl)} {
		_, err := controller.Append(t.Context(), runUID, file, 0, []byte("bytes of "+file))
		must(t, err)
		must(t, controller.End(t.Context(), runUID, file, endOf("bytes of "+file)))
		want[file] = "bytes of " + file
		mark, err := json.Marshal(endOf("bytes of " + file))
		must(t, err)
		want[bundle.EndFile(file)] = string(mark)
	}
	must(t, controller.PutFaults(t.Context(), runUID, []byte("{}\n")))
	report, err := controller.MakeReport(t.Context(), runUID)
	must(t, err)
	want[bundle.PlanFile] = string(planOf(runUID))
	want[bundle.ClaimsFile] = string(h.onDisk(bundle.ClaimsFile))
	want[bundle.StartFile("a")] = string(h.onDisk(bundle.StartFile("a")))
	want[bundle.FaultsFile] = "{}\n"
	want[bundle.ReportFile] = string(report)
	want[bundle.MarkdownFile] = "# report\n"

	var archive bytes.Buffer
	must(t, h.as("reader").Bundle(t.Context(), runUID, &archive))
	got := map[string]string{}
	files := tar.NewReader(&archive)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		content, err := io.ReadAll(files)
		must(t, err)
		got[header.Name] = string(content)
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s: %q, want %q", name, got[name], content)
		}
	}
}

func TestABundleThatCannotBeSentWholeIsAnError(t *testing.T) {
	h := registered(t)
	r, _ := h.server.registry.find(runUID)
	_, err := h.as("worker").Append(t.Context(), runUID, fileA0, 0, make([]byte, 1<<20))
	must(t, err)
	reader, writer := io.Pipe()
	go func() {
		// The run is forgotten after the first piece was sent.
		piece := make([]byte, 1)
		_, err := io.ReadFull(reader, piece)
		if err == nil {
			_, err = h.server.registry.forget(runUID, func(usage) bool { return true })
		}
		_ = reader.CloseWithError(errors.Join(err, errors.New("the reader has gone")))
	}()
	if err := r.archive(writer); err == nil {
		t.Error("half an archive was given for a whole one")
	}
	err = h.as("reader").Bundle(t.Context(), runUID, io.Discard)
	expect(t, "afterwards", err, client.ErrNotFound)
}
