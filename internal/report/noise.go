package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// noise says, for each engine that ran against itself, how large a difference
// is that means nothing.
func (m *model) noise() []string {
	c := &m.rec.Config
	labels := c.EngineLabels()
	if len(labels) == 0 {
		return nil
	}
	var texts []string
	for i, name := range c.Engines {
		if i == 0 || name != c.Engines[0] {
			continue // only the baseline is compared with
		}
		if text := m.noiseOf(labels[i]); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

func (m *model) noiseOf(label string) string {
	var changes []float64
	var shown []string
	tooFew := 0
	for i := range m.rec.Summary {
		s := &m.rec.Summary[i]
		if s.Engine != label || s.ChangePercent == nil {
			continue
		}
		changes = append(changes, math.Abs(*s.ChangePercent))
		switch s.Verdict {
		case bench.VerdictFaster, bench.VerdictSlower:
			shown = append(shown, OneLine(s.Workload))
		case bench.VerdictTooFew:
			tooFew++
		}
	}
	n := len(changes)
	if n == 0 {
		return ""
	}
	slices.Sort(changes)
	text := fmt.Sprintf("noise floor: %s against itself differed by up to %.1f %% (median %.1f %%) over %d rows; a difference of that size means nothing here.",
		OneLine(m.engines[0]), changes[n-1], changes[(n-1)/2]/2+changes[n/2]/2, n)
	switch {
	case tooFew == n:
		text += " The rounds are too few for verdicts."
	case len(shown) == 0:
		text += " No row shows a difference, and none should."
	default:
		text += fmt.Sprintf(" %d of %d rows show a difference where there is none (%s); about one in twenty is to be expected.",
			len(shown), n, strings.Join(shown, ", "))
	}
	return text
}
