import LarderContracts

// The short traces of the contract checks serve the other tests as well.
typealias TestTrace = LarderContracts.TestTrace
typealias TestTraceMaker = LarderContracts.TestTraceMaker
typealias TestRequest = LarderContracts.TestRequest
typealias TestRandom = LarderContracts.TestRandom
