package outage

// FaultsOf is Faults with another catalog.
var FaultsOf = faultsOf
