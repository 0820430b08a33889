package sweep

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Each evaluates runs concurrently, and passes their rows on in the order of the list. It ends with the first error, or
// with that of the context.
func Each(ctx context.Context, runs []int, workers int, evaluate func(ctx context.Context, run int) (*Row, error),
	take func(*Row) error) error {
	group, ctx := errgroup.WithContext(ctx)
	// Rows wait here for previous ones; the capacity limits the number of runs ahead.
	waiting := make(chan chan *Row, 4*workers)
	group.Go(func() error {
		defer close(waiting)
		inner, ctx := errgroup.WithContext(ctx)
		inner.SetLimit(workers)
		for _, run := range runs {
			row := make(chan *Row, 1)
			select {
			case waiting <- row:
			case <-ctx.Done():
				if err := inner.Wait(); err != nil {
					return err
				}
				return ctx.Err() // runs are missing, even if the group was not cancelled by an error
			}
			inner.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				r, err := evaluate(ctx, run)
				if err == nil {
					row <- r
				}
				return err
			})
		}
		return inner.Wait()
	})
	group.Go(func() error {
		for row := range waiting {
			select {
			case r := <-row:
				if err := take(r); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return group.Wait()
}
