//go:build race

package gnmi

// raceDetector says that the tests run with the race detector, which allocates
// and empties pools at random.
const raceDetector = true
