import LarderEngine

extension NaiveThreeLCache {
  mutating func latest() -> ObjectID {
    if evictionsLeft <= 0 || predictions.isEmpty { evictionsLeft = predictBatch() / 2 }
    // Equal values go to the one predicted first.
    guard let most = predictions.map(\.value).max(),
      let id = predictions.first(where: { $0.value == most })?.id, let object = known[id]
    else { return queue[0] }
    var requests = object.requests
    var power = 0
    while requests > 1 {
      requests /= 2
      power += 1
    }
    scan.victims[power] += 1
    if object.last <= scan.lastCandidate { scan.oldVictims += 1 }
    return id
  }

  private mutating func predictBatch() -> Int {
    if scan.length == 0 { scan.length = residents.count }
    var size = scan.sampleSize
    var candidates = newCandidates(atMost: Double(size) * 1.5)
    if arrivalSize < used * scan.reserved / 10 || candidates.isEmpty {
      var taken = 0
      while taken < size, candidates.count < scan.length {
        if scan.isCandidate(known[pointer]?.requests ?? 0) {
          candidates.append(pointer)
          taken += 1
        }
        scan.looked += 1
        guard scan.looked >= scan.length else {
          pointer = next(pointer)
          continue
        }
        scan.restart(length: residents.count, arrivals: arrivals.count)
        size = scan.sampleSize
        taken = 0
        pointer = queue[0]
        predictions = []
      }
      scan.lastCandidate = known[candidates[candidates.count - 1]]?.last ?? 0
      scan.oldCandidates += size
    }
    for id in candidates {
      guard let object = known[id] else { continue }
      let distance = DeterministicMath.exp(
        NaiveBooster.predict(trees ?? [], row(object, at: now)))
      let value = weighsSize ? Double(object.size) * distance : distance + Double(now - trainedAt)
      predictions.removeAll { $0.id == id }
      predictions.append(Prediction(id: id, value: Float(value)))
    }
    return candidates.count
  }

  private mutating func newCandidates(atMost most: Double) -> [ObjectID] {
    var candidates: [ObjectID] = []
    while arrivalSize > used * scan.reserved / 100, Double(candidates.count) < most,
      !arrivals.isEmpty
    {
      let arrival = arrivals.removeFirst()
      guard let object = known[arrival.id], object.serial == arrival.serial else { continue }
      arrivalSize = max(arrivalSize - Int(object.size), 0)
      if contains(arrival.id) { candidates.append(arrival.id) }
    }
    if arrivals.isEmpty { arrivalSize = 0 }
    return candidates
  }
}

/// The state of the scan and its adapted parameters.
struct NaiveScan {
  let adapts: Bool
  var length = 0
  var looked = 0
  var boundary: Int
  var beginning = 1
  var reserved = 2
  var lastCandidate = 0
  var victims = [Int](repeating: 0, count: 16)
  // Victims after the beginning of the queue, and at the beginning.
  var oldVictims = 0
  var oldCandidates = 0
  var beginningVictims = 0
  var beginningCandidates = 0

  init(adapts: Bool) {
    self.adapts = adapts
    boundary = adapts ? 1 : 65_535
  }

  var sampleSize: Int {
    let share = Double(length) * 0.01 + 2
    if 1024 < share { return 1024 }
    return length > 2 ? Int(share) : 2
  }

  mutating func isCandidate(_ requests: Int) -> Bool {
    if beginningCandidates == 0, looked > length * beginning / 100 {
      (beginningVictims, beginningCandidates) = (oldVictims, oldCandidates)
      (oldVictims, oldCandidates) = (0, 0)
    }
    return requests - 1 < boundary || looked <= length * beginning / 100 + 2
  }

  mutating func restart(length: Int, arrivals: Int) {
    self.length = length
    looked = 0
    guard adapts else { return }
    let all = Double(victims.reduce(0, +))
    var sum = 0.0
    for power in 0..<16 {
      sum += Double(victims[power])
      guard sum >= 0.99 * all else { continue }
      if power == 0 {
        boundary = 1
      } else {
        let low = DeterministicMath.pow(2, Double(power - 1))
        let count = Double(victims[power])
        boundary = Int(low + (low * ((0.99 * all + count - sum) / count)).rounded(.up))
      }
      break
    }
    if beginningVictims * oldCandidates > oldVictims * beginningCandidates {
      beginning = min(beginning + 1, 255)
    } else {
      beginning = max(beginning - 1, 1)
    }
    if oldVictims + beginningVictims > arrivals {
      reserved = min(reserved + 1, 255)
    } else if reserved > 1 {
      reserved /= 2
    }
    victims = [Int](repeating: 0, count: 16)
    (oldVictims, oldCandidates, beginningVictims, beginningCandidates) = (0, 0, 0, 0)
  }
}

/// The number of evicted objects that are remembered.
struct NaiveHistory {
  var multiple = 2
  var requests = 0
  var hits = 0
  var found = 0
  var ageBefore = 0
  var ageSince = 0
  var isFull = false

  mutating func note(isHit: Bool, isKnown: Bool) {
    guard isFull else { return }
    requests += 1
    hits += isHit ? 1 : 0
    found += isKnown ? 1 : 0
  }

  mutating func adapt() {
    ageBefore = ageSince
    guard requests > 1_000_000, isFull else { return }
    let gain = Double(found - hits) / (Double(hits) * Double(multiple - 1))
    if gain > 0.01 {
      if multiple - 1 < (requests - hits) / (found - hits) {
        multiple += 1
        isFull = false
      }
      multiple = min(multiple, 6)
    }
    (requests, hits, found) = (0, 0, 0)
  }
}
