package workload

import (
	"errors"
	"fmt"
)

// PropertyError is what is wrong with one property.
type PropertyError struct {
	Name string
	Err  error
}

func (e *PropertyError) Error() string { return e.Err.Error() }
func (e *PropertyError) Unwrap() error { return e.Err }

// Locate puts the places of properties before what Parse or ParseClient found wrong with
// them.
func Locate(err error, places map[string]string) error {
	var all interface{ Unwrap() []error }
	if errors.As(err, &all) {
		var located []error
		for _, err := range all.Unwrap() {
			located = append(located, Locate(err, places))
		}
		return errors.Join(located...)
	}
	var wrong *PropertyError
	if errors.As(err, &wrong) && places[wrong.Name] != "" {
		return fmt.Errorf("%s: %w", places[wrong.Name], err)
	}
	return err
}
