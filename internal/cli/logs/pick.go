package logs

import (
	"slices"
	"strings"
)

// pick are names of pods that alone are wanted; all are where it is empty. A name is a pod's own, or the short one that the table
// shows, such as etcd-0.
type pick []string

// takes says whether a line, or a log with such lines, is wanted.
func (p pick) takes(line Line) bool {
	if len(p) == 0 {
		return true
	}
	if line.Pod == "" {
		return false
	}
	short, _, _ := strings.Cut(line.Source[strings.LastIndexByte(line.Source, ' ')+1:], "/")
	return slices.Contains(p, line.Pod) || slices.Contains(p, short)
}
