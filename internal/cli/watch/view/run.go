package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/cli/watch/frame"
)

// Bounds of what is shown of a run, in lines.
const (
	mostMemberLines = 4
	mostFaultLines  = 6
	mostFoundLines  = 6
	leastEventLines = 3 // before empty lines go
)

// runBody is a run below its head. Events have the lines that the rest leaves of room.
func runBody(f *frame.Frame, p painter, width, room int) []string {
	run := f.Run
	lines := pack(stepWords(run.Steps, p), "  ", width)
	if run.Waiting != "" {
		lines = append(lines, notice(clean(run.Waiting), p, width)...)
	}
	lines = append(lines, section("", loadLines(run, p, width))...)
	lines = append(lines, section("found", foundLines(run.Found, p, width))...)
	lines = append(lines, section(membersTitle(run, p), memberLines(run.Members, p, width))...)
	lines = append(lines, section("faults", faultLines(run.Faults, p))...)
	left := room - len(lines) - 2 // an empty line and the title
	if left < min(leastEventLines, len(run.Events)) {
		lines = tight(lines)
		left = room - len(lines) - 1
	}
	return append(lines, section("events", eventLines(run.Events, f.Time, p, left))...)
}

// tight are the lines without the empty ones.
func tight(lines []string) []string {
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// section has an empty line and the title before the lines; it is nothing without lines.
func section(title string, lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	if title == "" {
		return append([]string{""}, lines...)
	}
	return append([]string{"", title}, lines...)
}

func stepWords(steps []frame.Step, p painter) []string {
	words := make([]string, len(steps))
	for i, s := range steps {
		name := clean(s.Name)
		switch s.State {
		case frame.Done:
			words[i] = p.in(green, "✓") + " " + name
		case frame.Current:
			words[i] = p.in(cyan, "> "+name)
		case frame.Failed:
			words[i] = p.in(red, "✗ "+name)
		default:
			words[i] = p.in(dim, "· "+name)
		}
	}
	return words
}

func membersTitle(run *frame.Run, p painter) string {
	title := "members"
	if run.Term > 0 {
		title += fmt.Sprintf(", term %d", run.Term)
	}
	if run.MembersAgeSeconds >= frame.StaleSeconds {
		title += p.in(yellow, fmt.Sprintf(", as seen %s ago", span(run.MembersAgeSeconds)))
	}
	return title
}

// down marks a member that doesn't answer.
const down = " (down)"

func memberLines(members []frame.Member, p painter, width int) []string {
	items := make([]string, len(members))
	for i, m := range members {
		items[i] = cut(clean(m.Name)+" "+clean(m.Role), width-2-len(down))
		switch {
		case !m.Up:
			items[i] = p.in(red, items[i]+down)
		case m.Role == "leader" || m.Role == "primary":
			items[i] = p.in(bold, items[i])
		}
	}
	return indented(most(pack(items, gap, width-2), mostMemberLines))
}

func foundLines(found []frame.Found, p painter, width int) []string {
	var lines []string
	for i := range found {
		lines = append(lines, pack(foundWords(&found[i], p), gap, width-2)...)
	}
	return indented(most(lines, mostFoundLines))
}

func foundWords(f *frame.Found, p painter) []string {
	words := []string{"workload " + clean(f.Workload), fmt.Sprintf("%d operations/s", f.Throughput)}
	if f.P99 != "" {
		words = append(words, "p99 "+clean(f.P99))
	}
	words = append(words, fmt.Sprintf("%d %s", f.Errors, plural(int(f.Errors), "error", "errors")))
	if f.Outage != "" {
		words = append(words, "outage "+clean(f.Outage))
	}
	if len(f.InvalidReasons) > 0 {
		words = append(words, p.in(red, "not valid: "+clean(strings.Join(f.InvalidReasons, ", "))))
	}
	return words
}

func faultLines(faults []frame.Fault, p painter) []string {
	lines := make([]string, len(faults))
	for i := range faults {
		lines[i] = p.in(faultStyle(faults[i].State), faultText(&faults[i]))
	}
	return indented(most(lines, mostFaultLines))
}

func faultText(f *frame.Fault) string {
	text := fmt.Sprintf("%s, %s", clean(f.Name), clean(f.Action))
	if f.State == frame.Planned {
		text += fmt.Sprintf(" at %s of workload %s", clean(f.At), clean(f.Workload))
	}
	text += ": " + clean(strings.ToLower(f.State))
	if len(f.Targets) > 0 {
		text += ", " + clean(strings.Join(f.Targets, ", "))
	}
	if f.Message != "" {
		text += ": " + clean(f.Message)
	}
	return text
}

func faultStyle(state string) style {
	switch state {
	case frame.Planned:
		return dim
	case "NotInjected":
		return red
	case "Injected":
		return yellow
	}
	return ""
}

// eventLines are as many as there is room for, the newest one first.
func eventLines(events []frame.Event, now time.Time, p painter, room int) []string {
	lines := make([]string, 0, len(events))
	for _, e := range events[:max(0, min(len(events), room))] {
		text := eventText(&e, now)
		if e.Warning {
			text = p.in(yellow, text)
		}
		lines = append(lines, text)
	}
	return indented(lines)
}

func eventText(e *frame.Event, now time.Time) string {
	return fmt.Sprintf("%s ago  %s: %s", span(max(0, int64(now.Sub(e.Time).Seconds()))), clean(e.Reason), clean(e.Message))
}

// most bounds the lines, and says how many there are beyond.
func most(lines []string, bound int) []string {
	if len(lines) <= bound {
		return lines
	}
	return append(lines[:bound-1:bound-1], fmt.Sprintf("… %d more", len(lines)-bound+1))
}

func indented(lines []string) []string {
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}
