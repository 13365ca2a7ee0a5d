package bench

import (
	"math"
	"math/rand/v2"
	"testing"
)

// An engine against itself, in five rounds interleaved as in a run, on machines
// that are noisy in several ways: a difference is shown in 5 % of the rows at
// most. (With five values a side the test can show one with p = 1/126 … 4/126, so
// that 3.2 % are to be expected of independent noise; what changes slowly meets
// both sides alike and brings less.)
func TestFalseVerdicts(t *testing.T) {
	const seed, runs, rows, rounds = 20261201, 300, 13, 5
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, c := range []struct {
		name    string
		machine func(passes int) []float64
	}{
		{"independent", func(n int) []float64 {
			return series(n, func(int) float64 { return math.Exp(0.05 * rng.NormFloat64()) })
		}},
		{"with outliers", func(n int) []float64 { return series(n, outlier(rng)) }},
		{"getting slower", func(n int) []float64 {
			return series(n, func(i int) float64 { return 1 - 0.03*float64(i) + 0.02*rng.NormFloat64() })
		}},
		{"in waves", func(n int) []float64 { return series(n, wave(rng)) }},
		{"with a step", func(n int) []float64 { return series(n, shift(rng, n)) }},
		{"wandering", func(n int) []float64 { return series(n, wander(rng, 0.8)) }},
	} {
		shown, all := 0, 0
		for range runs {
			for _, s := range Summarize(selfRecord(c.machine, rows, rounds)) {
				switch s.Verdict {
				case VerdictFaster, VerdictSlower:
					shown++
					all++
				case VerdictNoDifference:
					all++
				}
			}
		}
		if all != runs*rows {
			t.Fatalf("%s: %d rows", c.name, all)
		}
		share := float64(shown) / float64(all)
		t.Logf("%s: %.2f %%", c.name, 100*share)
		if share > 0.05 {
			t.Errorf("%s: %.2f %% of %d rows show a difference where there is none", c.name, 100*share, all)
		}
	}
}

// The other way round: a difference that is larger than the noise is seen.
func TestTrueVerdicts(t *testing.T) {
	const seed, rows, rounds = 20261201, 400, 5
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	rec := selfRecord(func(n int) []float64 {
		return series(n, func(int) float64 { return math.Exp(0.03 * rng.NormFloat64()) })
	}, rows, rounds)
	for i := range rec.Results {
		if rec.Results[i].Engine == "b" {
			rec.Results[i].OpsPerSec *= 1.15
		}
	}
	faster := 0
	for _, s := range Summarize(rec) {
		if s.Verdict == VerdictFaster {
			faster++
		}
	}
	if faster < rows*99/100 {
		t.Errorf("15 %% more, with a noise of 3 %%, is seen in %d of %d rows", faster, rows)
	}
}

// selfRecord is a run of one engine against itself: each row has the rates of a
// machine of its own, in the order in which passes are made.
func selfRecord(machine func(passes int) []float64, rows, rounds int) *Record {
	rec := &Record{Engines: []EngineInfo{{Name: "a"}, {Name: "b"}}}
	for row := range rows {
		rec.Config.Workloads = append(rec.Config.Workloads, "fillseq")
		rates := machine(2 * rounds)
		for round := 1; round <= rounds; round++ {
			for k := range 2 {
				rec.Results = append(rec.Results, Result{
					Engine: rec.Engines[turn(round, k, 2)].Name, Workload: "fillseq", Position: row + 1, Round: round,
					Status: StatusOK, OpsPerSec: rates[2*(round-1)+k],
				})
			}
		}
	}
	return rec
}

func series(n int, rate func(i int) float64) []float64 {
	rates := make([]float64, n)
	for i := range rates {
		rates[i] = max(rate(i), 0.01)
	}
	return rates
}

// outlier is a machine that now and then takes twice as long.
func outlier(rng *rand.Rand) func(int) float64 {
	return func(int) float64 {
		rate := math.Exp(0.02 * rng.NormFloat64())
		if rng.IntN(10) == 0 {
			rate /= 2
		}
		return rate
	}
}

// wave is a machine whose speed comes and goes.
func wave(rng *rand.Rand) func(int) float64 {
	period, phase := 2+18*rng.Float64(), 2*math.Pi*rng.Float64()
	return func(i int) float64 {
		return 1 + 0.1*math.Sin(phase+2*math.Pi*float64(i)/period) + 0.02*rng.NormFloat64()
	}
}

// shift is a machine that changes its speed once.
func shift(rng *rand.Rand, n int) func(int) float64 {
	at := rng.IntN(n)
	return func(i int) float64 {
		rate := 1 + 0.02*rng.NormFloat64()
		if i >= at {
			rate *= 0.8
		}
		return rate
	}
}

// wander is a machine whose speed depends on what it was.
func wander(rng *rand.Rand, memory float64) func(int) float64 {
	x := rng.NormFloat64()
	return func(int) float64 {
		x = memory*x + math.Sqrt(1-memory*memory)*rng.NormFloat64()
		return math.Exp(0.05 * x)
	}
}
