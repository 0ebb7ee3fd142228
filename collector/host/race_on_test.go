//go:build race

package host_test

// raceDetector says that the tests run with the race detector, which allocates
// and empties pools at random.
const raceDetector = true
