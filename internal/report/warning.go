package report

import (
	"strings"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// advice says for each kind of warning what to do about it.
var advice = map[bench.WarningCode]string{
	bench.WarnFitsRAM:        "use a --num of which the data exceeds the memory to measure the disk",
	bench.WarnFitsCache:      "use a larger --num or a smaller --cache-size to measure reads from tables",
	bench.WarnSyncFree:       "put the stores on a real disk with --db; synced rates mean nothing here",
	bench.WarnTmpfs:          "put the stores on a real disk with --db",
	bench.WarnUncompressed:   "check --compression-ratio and --compression",
	bench.WarnDebugBuild:     "build without the race detector and sanitizers",
	bench.WarnOtherLoad:      "run it again on an idle machine",
	bench.WarnTooFewRounds:   "use --rounds 5 or more",
	bench.WarnCompactionDebt: "the rate leaves out work that compaction still has to do",
	bench.WarnDurability:     "compare only rows with the same durability",
	bench.WarnOptionsDiffer:  "part of a difference may come from them; --profile equal sets alike what can be",
	bench.WarnClipped:        "ask for a value that all engines can have",
	bench.WarnNothingToDo:    "write more before it, with a larger --num",
	bench.WarnNotClosed:      "the next open of this store recovers it",
	bench.WarnOneSided:       "compare sizes on disk, and set --compression",
	bench.WarnNotSettled:     "the settled rate is still too good; give the engine more time with a smaller --num",
	bench.WarnBehind:         "ask for a lower --rate",
	bench.WarnBandwidth:      "look for a fault in the setup before you believe it",
	bench.WarnFoundDiffers:   "the engines' reads were not the same work",
	bench.WarnNotVerified:    "a list that begins with a fresh fill can be checked",
	bench.WarnNotReadBack:    "make room in the folder of temporary files",
	bench.WarnKept:           "remove it when it's no longer needed",
}

// Warning writes a warning in one line, with what to do about it.
func Warning(w *bench.Warning) string {
	text := strings.TrimSuffix(OneLine(w.Text), ".")
	if a := advice[w.Code]; a != "" {
		text += " (" + a + ")"
	}
	return text
}

func warnings(list []bench.Warning) string {
	var b strings.Builder
	for i := range list {
		wrap(&b, "warning:", len("warning: "), Warning(&list[i]))
	}
	return b.String()
}
