package view

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/cli/watch/frame"
	"github.com/kvbench/kvbench/internal/report"
)

// barWidth is that of how far a measurement is, in columns.
const barWidth = 20

// loadLines are the workload whose turn it is, and its measurement under way: how far it is, its newest second, and the last minute.
func loadLines(run *frame.Run, p painter, width int) []string {
	if run.Load == nil {
		return nil
	}
	words := []string{workloadText(run), elapsedText(run.Load)}
	if whole := run.Load.DurationSeconds; whole != nil && run.Load.ElapsedSeconds >= 0 {
		words = append(words, bar(run.Load.ElapsedSeconds, *whole, barWidth))
	}
	lines := pack(words, gap, width)
	figures := run.Load.Figures
	if figures == nil {
		return append(lines, p.in(dim, "no figures: not all workers have sent a whole second lately"))
	}
	title := "operations/s, last second of all workers"
	if figures.AgeSeconds >= frame.StaleSeconds {
		title = p.in(yellow, fmt.Sprintf("not live: operations/s %s ago, and nothing newer is known", span(figures.AgeSeconds)))
	}
	lines = append(lines, title)
	lines = append(lines, indented(pack(figureWords(run.Load, p), gap, width-2))...)
	return append(lines, indented(recentLines(figures, p, width-2))...)
}

func workloadText(run *frame.Run) string {
	text := "workload " + clean(run.Workload)
	if run.Workloads > 1 {
		text += fmt.Sprintf(" (%d of %d)", run.WorkloadNumber, run.Workloads)
	}
	return text
}

func elapsedText(load *frame.Load) string {
	switch whole := load.DurationSeconds; {
	case load.ElapsedSeconds < 0:
		return fmt.Sprintf("warm-up, %d s to go", -load.ElapsedSeconds)
	case whole == nil:
		return fmt.Sprintf("%d s", load.ElapsedSeconds)
	case load.ElapsedSeconds >= *whole:
		return fmt.Sprintf("%d of %d s, ending", *whole, *whole)
	default:
		return fmt.Sprintf("%d of %d s, %d s left", load.ElapsedSeconds, *whole, *load.LeftSeconds)
	}
}

// figureWords are dim where they are not of now.
func figureWords(load *frame.Load, p painter) []string {
	figures, intended, served := load.Figures, "intended", bold
	if load.ClosedLoop {
		intended = "sent"
	}
	if figures.AgeSeconds >= frame.StaleSeconds {
		served = dim
	}
	return append([]string{fmt.Sprintf("%s %d", intended, figures.Intended), "served " + p.in(served, fmt.Sprint(figures.Served))}, endedWords(figures, p)...)
}

// endedWords are the p99, of which it says which latency it is of, and the errors. They say how old they are where the counts are
// younger.
func endedWords(figures *frame.Figures, p painter) []string {
	ended := figures.Ended
	if ended == nil {
		return []string{"p99 and errors not known"}
	}
	p99 := "p99 none"
	if ended.P99Micros > 0 {
		kind := "service"
		if ended.Response {
			kind = "response"
		}
		p99 = kind + " p99 " + report.Human(ended.P99Micros)
	}
	errors := fmt.Sprintf("errors %d", ended.Errors)
	switch {
	case ended.AgeSeconds >= frame.StaleSeconds && ended.AgeSeconds > figures.AgeSeconds+1:
		age := fmt.Sprintf(" (%s ago)", span(ended.AgeSeconds))
		p99, errors = p99+age, errors+age
	case ended.AgeSeconds >= frame.StaleSeconds:
		errors = p.in(dim, errors)
	case ended.Errors > 0:
		errors = p.in(red, errors)
	}
	return []string{p99, errors}
}

// recentLines are the last minute of what was served, and the errors in it.
func recentLines(figures *frame.Figures, p painter, width int) []string {
	shown := figures.Recent
	line := recentLine(shown, figures.AgeSeconds)
	for len(shown) > 1 && widthOf(line) > width {
		shown = shown[1:]
		line = recentLine(shown, figures.AgeSeconds)
	}
	if figures.RecentErrors == 0 {
		return []string{line}
	}
	errors := fmt.Sprintf("%d %s in the last %d s", figures.RecentErrors, plural(int(figures.RecentErrors), "error", "errors"), len(figures.Recent))
	return pack([]string{line, p.in(red, errors)}, gap, width)
}

func recentLine(shown []int64, age int64) string {
	begin := fmt.Sprintf("last %d s ", len(shown))
	if age >= frame.StaleSeconds {
		begin = fmt.Sprintf("%d s to then ", len(shown))
	}
	least, greatest := int64(0), int64(0)
	for i, v := range shown {
		if i == 0 || v < least {
			least = v
		}
		greatest = max(greatest, v)
	}
	return begin + sparkline(shown) + fmt.Sprintf("  served %d to %d", least, greatest)
}
