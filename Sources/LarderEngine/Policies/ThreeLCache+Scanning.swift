/// Candidates and predictions.
extension ThreeLCache {
  /// The predicted resident that is requested latest; predicts a batch where one is due.
  mutating func latest() -> ObjectID {
    if evictionsLeft <= 0 || predicted.count == 0 {
      evictionsLeft = predictBatch() / ScanState.evictionRate
    }
    guard predicted.count > 0 else { return order.back() }
    let victim = predicted.popMinimum().id
    scan.note(
      victimWith: known[victim].requests, isOld: known[victim].last <= scan.lastCandidate)
    return victim
  }

  /// No prediction holds any more.
  mutating func forgetPredictions() {
    while predicted.count > 0 { _ = predicted.popMinimum() }
  }

  /// Predicts new and old objects, and returns how many.
  private mutating func predictBatch() -> Int {
    candidateCount = 0
    if scan.length == 0 { scan.length = residents.count }
    var sampleSize = scan.sampleSize
    takeNew(atMost: Double(sampleSize) * 1.5)
    if arrivals.size < used * UInt64(scan.reserved) / 10 || candidateCount == 0 {
      takeOld(&sampleSize)
    }
    predictCandidates()
    return candidateCount
  }

  /// Takes new objects while more than their share of the size is new.
  private mutating func takeNew(atMost most: Double) {
    var taken = 0
    while arrivals.size > used * UInt64(scan.reserved) / 100, Double(taken) < most,
      arrivals.count > 0
    {
      let (id, epoch) = arrivals.popOldest()
      guard known[id].epoch == epoch, remembers(id) else { continue }
      arrivals.subtract(known[id].size)
      if residents.contains(id) {
        take(id)
        taken += 1
      }
    }
    arrivals.settle()
  }

  /// Takes objects from where the scan stands on.
  private mutating func takeOld(_ sampleSize: inout Int) {
    var taken = 0
    while taken < sampleSize, candidateCount < scan.length {
      if scan.isCandidate(requests: known[pointer].requests) {
        take(pointer)
        taken += 1
      }
      scan.looked += 1
      if scan.looked >= scan.length {
        scan.restart(length: residents.count, arrivals: arrivals.count)
        sampleSize = scan.sampleSize
        taken = 0
        pointer = order.back()
        forgetPredictions()
      } else {
        pointer = next(after: pointer)
      }
    }
    guard candidateCount > 0 else { return }
    scan.lastCandidate = known[candidates.id(candidateCount - 1)].last
    scan.note(candidates: sampleSize)
  }

  private mutating func take(_ id: ObjectID) {
    if candidateCount == candidates.capacity { candidates.reserve(capacity: candidateCount * 2) }
    candidates.set(candidateCount, id)
    candidateCount += 1
  }

  private mutating func predictCandidates() {
    guard let model, candidateCount > 0 else { return }
    for place in 0..<candidateCount {
      write(candidates.id(place), at: now, to: candidates.row(place))
    }
    candidates.predict(with: model, count: candidateCount)
    for place in 0..<candidateCount {
      let id = candidates.id(place)
      let distance = DeterministicMath.exp(candidates.score(place))
      let value =
        weighsSize
        ? Float(Double(known[id].size) * distance) : Float(distance + Double(now &- trainedAt))
      // The heap has the smallest key on top; distances are not negative.
      let key = UInt64(UInt32.max - max(value, 0).bitPattern)
      if predicted.contains(id) {
        predicted.update(id, key: key, order: predictions.next())
      } else {
        predicted.insert(id, key: key, order: predictions.next())
      }
    }
  }
}
