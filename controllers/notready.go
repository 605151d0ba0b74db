package controllers

const (
	reasonClearing  = "Clearing" // of StoreReady
	clearingMessage = "an interrupted installation is being removed, before the store is installed anew"
)

// clearing has the words of the installation that was interrupted.
func clearing(o *observed) string {
	ready := storeReady(o.Run)
	switch {
	case ready != nil && ready.Reason == reasonClearing:
		return ready.Message
	case ready != nil && ready.Reason == reasonInstallFailed:
		return clearingMessage + because(ready.Message)
	}
	return clearingMessage
}

// whyNotReady is why the store isn't ready. Of a store that isn't installed, why not: that its pods
// and resources aren't there follows from it.
func whyNotReady(o *observed) string {
	noted := notedTrouble(o)
	if o.Store.Release != releaseDeployed && noted != "" {
		return noted
	}
	return firstOf(stuckOn(o), o.Store.Trouble, o.Store.Unready, noted)
}

// notedTrouble is why the last attempt to install failed, what kept a pod from running, or what the
// observer saw when it was asked last.
func notedTrouble(o *observed) string {
	ready := storeReady(o.Run)
	switch {
	case ready == nil:
	case ready.Reason == reasonNotSteady, ready.Reason == reasonInstallFailed, isTroubleOfPods(ready.Reason):
		return ready.Message
	case ready.Reason == reasonClearing:
		return firstOf(o.Memory.InstallTrouble, ready.Message)
	}
	return ""
}
