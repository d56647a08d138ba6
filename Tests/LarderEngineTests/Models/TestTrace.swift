import LarderContracts

// The short traces that contracts are checked with serve the other tests, too.
typealias TestTrace = LarderContracts.TestTrace
typealias TestTraceMaker = LarderContracts.TestTraceMaker
typealias TestRequest = LarderContracts.TestRequest
typealias TestRandom = LarderContracts.TestRandom
