import LarderEngine

/// W-TinyLFU (Einziger, Friedman, Manes, ToS 2017), the window fixed or climbing (Einziger, Eytan,
/// Friedman, Manes, Middleware 2018) with Caffeine's constants.
struct NaiveWTinyLFU: NaivePolicy {
  var window: [NaiveWeighted] = []
  var probation: [NaiveWeighted] = []
  var protected: [NaiveWeighted] = []
  var windowLimit: UInt64
  var protectedLimit: UInt64
  /// The missing object is larger than the window and enters main directly.
  var skipsWindow = false
  var entering: UInt64 = 0
  let sketch: NaiveSketch
  let capacity: UInt64

  // The climber: enabled or not, the period's requests and hits, and the next step.
  let isAdaptive: Bool
  var wasFull = false
  var requests = 0
  var hits = 0
  var previousRatio = 0.0
  var step: Double
  var pending = 0

  init(_ sketch: NaiveSketch, capacity: UInt64, window: Double?, protected: Double) {
    let main = min(UInt64(Double(capacity) * (1 - (window ?? 0.01))), capacity - 1)
    windowLimit = capacity - main
    protectedLimit = UInt64(Double(main) * protected)
    self.sketch = sketch
    self.capacity = capacity
    isAdaptive = window == nil
    step = -Double(capacity) / 16
  }

  func contains(_ id: ObjectID) -> Bool { (window + probation + protected).has(id) }

  mutating func hit(_ request: Request) {
    sketch.count(request.id)
    if window.has(request.id) {
      window.drop(request.id)
      window.append(NaiveWeighted(request))
    } else {
      probation.drop(request.id)
      protected.drop(request.id)
      protected.append(NaiveWeighted(request))
      cool()
    }
    climb(isHit: true)
  }

  private mutating func cool() {
    while protected.weight > protectedLimit { probation.append(protected.removeFirst()) }
  }

  mutating func admit(_ request: Request) -> Bool {
    sketch.count(request.id)
    climb(isHit: false)
    let size = UInt64(request.size)
    skipsWindow = size > windowLimit
    entering = skipsWindow ? 0 : size
    let used = (window + probation + protected).weight
    guard skipsWindow, used + size > capacity, let victim = (probation + protected).first else {
      return true
    }
    return sketch.estimate(request.id) > sketch.estimate(victim.id)
  }

  mutating func evict() -> ObjectID {
    wasFull = true
    sketch.leave()
    guard window.weight + entering > windowLimit, let candidate = window.first else {
      if !probation.isEmpty { return probation.removeFirst().id }
      return protected.isEmpty ? window.removeFirst().id : protected.removeFirst().id
    }
    guard let victim = probation.first,
      sketch.estimate(candidate.id) > sketch.estimate(victim.id)
    else { return window.removeFirst().id }
    probation.append(window.removeFirst())
    return probation.removeFirst().id
  }

  mutating func insert(_ request: Request) {
    sketch.enter()
    if skipsWindow {
      probation.append(NaiveWeighted(request))
    } else {
      window.append(NaiveWeighted(request))
    }
    skipsWindow = false
    entering = 0
    while window.weight > windowLimit { probation.append(window.removeFirst()) }
  }

  private mutating func climb(isHit: Bool) {
    guard isAdaptive else { return }
    if wasFull {
      requests += 1
      hits += isHit ? 1 : 0
      if requests >= Int(sketch.period) { chooseStep() }
    }
    if pending > 0 { widen(by: UInt64(pending)) }
    if pending < 0 { narrow(by: pending.magnitude) }
    pending = 0
  }

  private mutating func chooseStep() {
    let ratio = Double(hits) / Double(requests)
    let change = ratio - previousRatio
    let amount = change >= 0 ? step : -step
    let first = Double(capacity) / 16
    step = abs(change) >= 0.05 ? (amount >= 0 ? first : -first) : amount * 0.98
    pending = Int(amount)
    previousRatio = ratio
    requests = 0
    hits = 0
  }

  private mutating func widen(by amount: UInt64) {
    let gained = min(amount, protectedLimit)
    var moved: UInt64 = 0
    while let oldest = (probation + protected).first, moved + oldest.size <= gained {
      moved += oldest.size
      probation.drop(oldest.id)
      protected.drop(oldest.id)
      window.append(oldest)
    }
    windowLimit += moved
    protectedLimit -= moved
    cool()
  }

  private mutating func narrow(by amount: UInt) {
    let lost = min(UInt64(amount), windowLimit - 1)
    windowLimit -= lost
    protectedLimit += lost
    while window.weight > windowLimit { probation.append(window.removeFirst()) }
  }

  mutating func remove(_ id: ObjectID) {
    if contains(id) { sketch.leave() }
    window.drop(id)
    probation.drop(id)
    protected.drop(id)
  }
}
