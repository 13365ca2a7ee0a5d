package overhead

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/leveldb"
)

// Form is the version of a result's JSON.
const Form = 1

// Harness stands for the engine in the rows of the harness alone.
const Harness = "none"

// Result is everything that a comparison has measured, with what is needed to
// judge and repeat it.
type Result struct {
	Overhead    int               `json:"overhead"` // Form; no record of bench has it
	Tool        bench.Tool        `json:"tool"`
	Environment bench.Environment `json:"environment"`
	Config      Config            `json:"config"`
	Engines     []*Engine         `json:"engines"`
	Rows        []*Row            `json:"rows"`
	Means       []Mean            `json:"geometric_means"`
	Passes      []PassUse         `json:"passes"`
	// Interrupted names the pass that was ended by the user; it doesn't count.
	Interrupted string `json:"interrupted,omitempty"`
}

// Engine is what all sides of an engine's comparison have in common, and in what
// they differ.
type Engine struct {
	Name string `json:"name"`
	// Version is the one that the library reports of itself.
	Version string `json:"version"`
	// Build is that of the library which the sides in Go are linked with.
	Build Build `json:"build"`
	// Native is the benchmark in C++; nil if it isn't asked for.
	Native *Program `json:"native,omitempty"`
	// Options are those in effect on the sides in Go; empty until one has run.
	Options bench.OptionList `json:"options,omitempty"`
	// OptionDiff lists what differs between the options that RocksDB itself has
	// noted for C++ and for Go; null if they were not compared.
	OptionDiff []string `json:"option_diff"`
	// Differs says what else the sides don't do alike.
	Differs []string `json:"differs"`
}

// Program is a db_bench.
type Program struct {
	Path    string `json:"path"`
	Build   Build  `json:"build"`
	Command string `json:"command"` // DIR stands for the folder of the store
}

// SameBuild tells whether C++ runs on the very build that Go is linked with.
func (e *Engine) SameBuild() bool {
	return e.Native != nil && e.Native.Build == e.Build && e.Build.Key != ""
}

// Row is one workload of one engine.
type Row struct {
	Engine   string `json:"engine"`
	Workload string `json:"workload"`
	// Position is the place in the list of its part, from 1.
	Position    int              `json:"position"`
	Part        Part             `json:"part"`
	Expected    *Expected        `json:"expected,omitempty"`
	Sides       map[Side]*Series `json:"sides"`
	Comparisons []Comparison     `json:"comparisons"`
}

// Series is what one side did, in the order of the rounds.
type Series struct {
	Micros  []float64 `json:"micros_per_op"`
	Ops     []int64   `json:"ops,omitempty"`
	Lookups []int64   `json:"lookups,omitempty"`
	Found   []int64   `json:"found,omitempty"`
	// Error is why the first pass that has failed did so. Such a series is
	// compared with nothing.
	Error string `json:"error,omitempty"`
	// Time is the median of Micros and how sure it is, Least the least of them.
	Time  *bench.Spread `json:"time,omitempty"`
	Least float64       `json:"least,omitempty"`
}

// Good tells whether the series may be compared.
func (s *Series) Good() bool { return s != nil && s.Error == "" && len(s.Micros) > 0 }

// PassUse is what a pass took.
type PassUse struct {
	Engine  string  `json:"engine"`
	Side    Side    `json:"side"`
	Part    Part    `json:"part"`
	Round   int     `json:"round"`
	Seconds float64 `json:"seconds"`
	Usage
	// CPUClockedSeconds are those of the processor while workloads were timed;
	// 0 where it isn't known.
	CPUClockedSeconds float64 `json:"cpu_clocked_seconds,omitempty"`
	Error             string  `json:"error,omitempty"`
}

// newResult makes the rows that there will be.
func newResult(c Config) *Result {
	r := &Result{Overhead: Form, Tool: bench.ThisTool(), Config: c, Engines: []*Engine{}, Rows: []*Row{}, Means: []Mean{}, Passes: []PassUse{}}
	common := expect(c.Workloads, c.Num)
	for _, engine := range c.Engines {
		r.addRows(engine, PartCommon, c.Workloads, common)
		if c.Extras {
			r.addRows(engine, PartExtras, extraRows(), expectExtras(c.Num))
		}
	}
	if c.Extras {
		r.addRows(Harness, PartHarness, nullWorkloads, nil)
	}
	return r
}

func (r *Result) addRows(engine string, part Part, workloads []string, expected []Expected) {
	for i, name := range workloads {
		row := &Row{Engine: engine, Workload: name, Position: i + 1, Part: part, Sides: map[Side]*Series{}, Comparisons: []Comparison{}}
		if expected != nil {
			row.Expected = &expected[i]
		}
		r.Rows = append(r.Rows, row)
	}
}

// RowsOf returns the rows of a part of an engine, in order.
func (r *Result) RowsOf(engine string, part Part) []*Row {
	var rows []*Row
	for _, row := range r.Rows {
		if row.Engine == engine && row.Part == part {
			rows = append(rows, row)
		}
	}
	return rows
}

// Engine returns the engine of that name, nil if there is none.
func (r *Result) Engine(name string) *Engine {
	for _, e := range r.Engines {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// add adds the cells of a pass. Rows that the pass has none for have failed with
// err.
func (r *Result) add(p Pass, cells []Cell, err error) {
	exact := drawsAlike(p.Engine, p.Side)
	for i, row := range r.RowsOf(p.Engine, p.Part) {
		s := row.Sides[p.Side]
		if s == nil {
			s = &Series{Micros: []float64{}}
			row.Sides[p.Side] = s
		}
		switch {
		case i >= len(cells) && err != nil:
			s.fail(p.Round, err.Error())
		case i >= len(cells):
			s.fail(p.Round, "it was not measured")
		case cells[i].Error != "":
			s.fail(p.Round, cells[i].Error)
		default:
			s.add(&cells[i])
			if row.Expected != nil {
				s.fail(p.Round, row.Expected.fault(&cells[i], exact))
			}
		}
	}
	r.summarize()
}

// drawsAlike tells whether a side draws keys as LevelDB's db_bench does: all do
// but RocksDB's.
func drawsAlike(engine string, s Side) bool { return s != Native || engine == leveldb.Engine }

func (s *Series) add(c *Cell) {
	s.Micros = append(s.Micros, c.Micros)
	if c.Ops > 0 {
		s.Ops = append(s.Ops, c.Ops)
	}
	if c.Lookups > 0 {
		s.Found = append(s.Found, c.Found)
		s.Lookups = append(s.Lookups, c.Lookups)
	}
}

// fail notes why a round has failed; the first reason stays, an empty one is
// none.
func (s *Series) fail(round int, reason string) {
	if s.Error == "" && reason != "" {
		s.Error = fmt.Sprintf("round %d: %s", round, reason)
	}
}

// Failures says of each side of each row that has failed why it did.
func (r *Result) Failures() []string {
	var all []string
	for _, row := range r.Rows {
		for _, side := range []Side{Native, Ours, Plain} {
			if s := row.Sides[side]; s != nil && s.Error != "" {
				all = append(all, fmt.Sprintf("%s %s, %s, %s", row.Engine, r.Label(row), side.Title(row.Engine), s.Error))
			}
		}
	}
	return all
}

// Label is the row's workload, with its place where that occurs twice.
func (r *Result) Label(row *Row) string {
	times := 0
	for _, other := range r.RowsOf(row.Engine, row.Part) {
		if other.Workload == row.Workload {
			times++
		}
	}
	if times > 1 {
		return fmt.Sprintf("%s #%d", row.Workload, row.Position)
	}
	return row.Workload
}

// WriteJSON writes the result as JSON, indented.
func WriteJSON(w io.Writer, r *Result) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("json: %w", err)
	}
	return nil
}

// Name is the pass in words: leveldb, C++.
func (p *Pass) Name() string {
	if p.Part == PartHarness {
		return "the harness alone"
	}
	name := p.Engine + " " + p.Side.Title(p.Engine)
	if p.Part == PartExtras {
		name += ", rows of Go alone"
	}
	return strings.TrimSpace(name)
}
