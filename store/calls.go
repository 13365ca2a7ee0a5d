package store

// A CallCounter tells how many calls are under way, at much less cost than
// Metrics, which has the same figures. Both engines are CallCounters.
type CallCounter interface {
	// Calls returns the number of calls that are in the engine, each with a thread
	// of the system, and the number of those that wait: to be let in (see
	// Options.MaxCalls), or for a group of writes. There are none after Close.
	Calls() (inFlight, waiting int)
}
