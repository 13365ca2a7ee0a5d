package bench

import "slices"

// Workload describes a workload that Run knows.
type Workload struct {
	Name    string
	Aliases []string
	// Description is one line.
	Description string
	// Fresh: the store is closed, destroyed and opened anew before it.
	Fresh bool
	// Writes: it changes entries. A list with such a workload begins on a fresh
	// store; others leave what they find.
	Writes bool
	// Reads: it counts lookups and found entries.
	Reads bool
	// Single: it has one worker, whatever the number of threads.
	Single bool

	// untimed: it does all of its operations whatever Duration says.
	untimed bool
	// noFigures: it has text in place of figures.
	noFigures bool
	// draws: it takes numbers of the seed sequence, one a worker.
	draws bool
	// large: it writes values of largeValue bytes.
	large bool
	// plan makes the workload's operations for one cell.
	plan func(c *Config) *plan
}

// Workloads returns all workloads, in the order of the documentation.
func Workloads() []Workload { return slices.Clone(workloads) }

// FindWorkload returns the workload of that name or alias.
func FindWorkload(name string) (Workload, bool) {
	for _, w := range workloads {
		if w.Name == name || slices.Contains(w.Aliases, name) {
			return w, true
		}
	}
	return Workload{}, false
}

// Preset is a named workload list, with settings that go with it.
type Preset struct {
	Name        string
	Description string
	Workloads   []string
	// Labels are what the preset's own table calls the workloads; nil where it
	// has no table of its own.
	Labels []string
	// settings are those that the preset sets where the user has not, by flag.
	settings []setting
}

// setting is what a preset sets in place of a flag's default.
type setting struct {
	flag string
	set  func(*Config)
}

// Apply sets what the preset sets, but for the flags (without dashes) that were
// given. A nil given stands for none.
func (p *Preset) Apply(c *Config, given func(flag string) bool) {
	for _, s := range p.settings {
		if given == nil || !given(s.flag) {
			s.set(c)
		}
	}
}

// Presets returns all presets.
func Presets() []Preset { return slices.Clone(presets) }

// FindPreset returns the preset of that name.
func FindPreset(name string) (Preset, bool) {
	for _, p := range presets {
		if p.Name == name {
			return p, true
		}
	}
	return Preset{}, false
}
