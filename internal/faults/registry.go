package faults

var registry = []Action{
	containerKill,
	podKill,
	partition,
}

// Find returns the action of that name.
func Find(name string) (Action, bool) {
	for _, action := range registry {
		if action.Name == name {
			return action, true
		}
	}
	return Action{}, false
}

// Names lists the actions.
func Names() []string {
	names := make([]string, 0, len(registry))
	for _, action := range registry {
		names = append(names, action.Name)
	}
	return names
}
