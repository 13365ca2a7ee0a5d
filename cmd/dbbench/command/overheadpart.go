package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lsmkit/lsmkit/internal/overhead"
)

// newOverheadPart is the other end of overhead, which calls this program for
// each pass in Go. It is no command for people.
func newOverheadPart(d Deps) *cobra.Command {
	return &cobra.Command{
		Use:    overhead.PartCommand,
		Short:  "Measure one pass of overhead, which calls this itself",
		Hidden: true,
		Args:   noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := interruptible(cmd.Context(), d, func(string) {}, func(ctx context.Context) (struct{}, error) {
				return struct{}{}, overhead.ServePart(ctx, cmd.InOrStdin(), cmd.OutOrStdout())
			})
			return failure(err)
		},
	}
}
