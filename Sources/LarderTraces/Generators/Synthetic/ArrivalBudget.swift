/// How many new objects a generator will make at most, so that its keys have a limit it can state.
enum ArrivalBudget {
  /// Enough for requests of which each makes an object with the given probability, in all but one
  /// of a thousand million traces: the mean and six standard deviations.
  static func objects(requests: Int, share: Double) -> Int {
    let mean = Double(requests) * share
    let spread = (mean * (1 - share)).squareRoot()
    return min(requests, Int(mean + 6 * spread) + 10)
  }
}
