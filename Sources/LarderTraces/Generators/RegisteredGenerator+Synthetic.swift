import LarderEngine

extension RegisteredGenerator {
  static let zipf = RegisteredGenerator(
    name: "zipf",
    summary: "Independent requests; the object of rank k in proportion to 1 / k^exponent, exactly.",
    parameters: [
      .objects("1M"), .exponent("1.0"),
      Parameter(
        "scatter", .flag, default: "false",
        "Spreads popular objects over the keys; otherwise key 0 is the most popular."),
    ],
    source: "Breslau et al., Web Caching and Zipf-like Distributions, INFOCOM 1999."
  ) { setup throws(ComponentError) in
    let objects = try setup.whole("objects")
    let isScattered = try setup.parameters.flag("scatter") == true
    let stream = ZipfStream(
      random: RandomStream(seed: setup.seed), sampler: try setup.sampler(of: objects),
      scatter: isScattered ? Permutation(count: objects, seed: setup.objectSeed) : nil)
    return GeneratorPlan(keyLimit: objects, stream: stream)
  }

  static let uniform = RegisteredGenerator(
    name: "uniform", summary: "Independent requests, all objects equally likely.",
    parameters: [.objects("1M")], source: "The textbook case."
  ) { setup throws(ComponentError) in
    let objects = try setup.whole("objects")
    return GeneratorPlan(
      keyLimit: objects,
      stream: UniformStream(random: RandomStream(seed: setup.seed), objects: UInt64(objects)))
  }

  static let sequential = RegisteredGenerator(
    name: "sequential",
    summary: "One new object after another, each requested `each` times in a row, never again.",
    parameters: [.count("each", 1...1_000_000_000, "1", "Consecutive requests per object.")],
    source: "The textbook case: a scan."
  ) { setup throws(ComponentError) in
    let each = try setup.whole("each")
    return GeneratorPlan(
      keyLimit: (setup.requests - 1) / each + 1,
      stream: CycleStream(objects: .max, each: each, left: each))
  }

  static let loop = RegisteredGenerator(
    name: "loop",
    summary: "The same objects in the same order, repeatedly: no hits for LRU in a smaller cache.",
    parameters: [.objects("10k")],
    source: "The textbook case; the loop traces of LIRS (Jiang and Zhang, SIGMETRICS 2002)."
  ) { setup throws(ComponentError) in
    let objects = try setup.whole("objects")
    return GeneratorPlan(
      keyLimit: objects, stream: CycleStream(objects: UInt64(objects), each: 1, left: 1))
  }

  static let scan = RegisteredGenerator(
    name: "scan",
    summary: "A hot set with Zipf popularity, interrupted by scans through cold objects in order.",
    parameters: [
      .objects("10k", "Objects of the hot set."),
      .exponent("0.9", "Exponent of Zipf's law within the hot set."),
      .count("cold", 1...Parameter.objectsMax, "1M", "Cold objects, walked through in a circle."),
      .share("share", "30%", "Share of the requests that are scans."),
      .count("length", 1...1_000_000_000, "5k", "Requests of a scan."),
    ],
    source: "The pattern 2Q was made for (Johnson and Shasha, VLDB 1994); round numbers."
  ) { setup throws(ComponentError) in
    let (hot, cold) = (try setup.whole("objects"), try setup.whole("cold"))
    let (share, length) = (try setup.number("share"), try setup.whole("length"))
    // On average, length * (1 - share) / share requests to the hot set lie between two scans.
    let start = share / (share + Double(length) * (1 - share))
    let stream = ScanStream(
      random: RandomStream(seed: setup.seed), sampler: try setup.sampler(of: hot),
      hot: UInt64(hot), cold: UInt64(cold), length: length, start: RandomStream.threshold(start))
    return GeneratorPlan(keyLimit: hot + cold, stream: stream)
  }

  static let hotSpot = RegisteredGenerator(
    name: "hot-spot",
    summary: "A share of the objects gets a share of the requests; in each part all are equal.",
    parameters: [
      .objects("1M"), .share("hot", "20%", "Share of hot objects."),
      .share("share", "80%", "Share of requests for hot objects."),
    ],
    source: "The hotspot distribution of YCSB (Cooper et al., SoCC 2010)."
  ) { setup throws(ComponentError) in
    let objects = try setup.whole("objects")
    let hot = min(objects, Int((Double(objects) * (try setup.number("hot"))).rounded()))
    let share = RandomStream.threshold(try setup.number("share"))
    let stream = HotSpotStream(
      random: RandomStream(seed: setup.seed), hot: UInt64(hot),
      cold: UInt64(max(1, objects - hot)), objects: UInt64(objects),
      // Without hot or without cold objects all requests go to the others.
      threshold: hot == 0 ? 0 : hot == objects ? .max : share)
    return GeneratorPlan(keyLimit: objects, stream: stream)
  }

  static let latest = RegisteredGenerator(
    name: "latest",
    summary: "New objects, and requests for the newest ones by Zipf's law, the newest first.",
    parameters: [
      .objects("100k", "Number of newest objects that requests choose from."),
      .exponent("0.99", "Exponent of Zipf's law over the age in objects.", from: "YCSB"),
      .share("new", "5%", "Share of requests for a new object.", from: "workload D of YCSB"),
    ],
    source: "The latest distribution of YCSB (Cooper et al., SoCC 2010)."
  ) { setup throws(ComponentError) in
    try ArrivalStream.plan(setup, share: "new", ranksNewest: true)
  }

  static let shifting = RegisteredGenerator(
    name: "shifting",
    summary: "Requests within a working set whose oldest part is replaced periodically.",
    parameters: [
      .objects("1M"),
      .count("working-set", 1...Parameter.objectsMax, "10k", "Its objects; at most all."),
      .exponent("0.6", "Exponent of Zipf's law within it, the newest first; 0 is uniform."),
      .count("every", 1...Parameter.objectsMax, "50k", "Requests between two moves."),
      .count("step", 1...Parameter.objectsMax, "1k", "Objects replaced per move."),
    ],
    source: "Working sets and their phases: Denning, CACM 1968; round numbers."
  ) { setup throws(ComponentError) in
    let (objects, size) = (try setup.whole("objects"), try setup.whole("working-set"))
    guard size <= objects else {
      throw setup.parameters.wrong("working-set", expected: "at most objects (\(objects))")
    }
    let every = try setup.whole("every")
    let stream = ShiftingStream(
      random: RandomStream(seed: setup.seed), sampler: try setup.sampler(of: size),
      objects: UInt64(objects), end: UInt64(size), step: UInt64(try setup.whole("step") % objects),
      every: every, left: every)
    return GeneratorPlan(keyLimit: objects, stream: stream)
  }

  static let oneHitWonders = RegisteredGenerator(
    name: "one-hit-wonders",
    summary: "Zipf's law, and a share of requests for objects that are requested only once.",
    parameters: [
      .objects("100k", "Objects that are requested again."), .exponent("0.9"),
      .share("share", "25%", "Share of the requests that are one-hit wonders."),
    ],
    source: """
      Maggs and Sitaraman, Algorithmic Nuggets in Content Delivery, ACM SIGCOMM CCR 45 (2015): on \
      a CDN's servers about three objects in four are requested once.
      """
  ) { setup throws(ComponentError) in
    try ArrivalStream.plan(setup, share: "share", ranksNewest: false)
  }
}

private struct ZipfStream: KeyStream {
  var random: RandomStream
  let sampler: ZipfSampler
  let scatter: Permutation?

  @inline(__always) mutating func nextKey() -> UInt64 {
    let key = sampler.rank(&random) - 1
    return scatter?(key) ?? key
  }
}

private struct UniformStream: KeyStream {
  var random: RandomStream
  let objects: UInt64

  @inline(__always) mutating func nextKey() -> UInt64 { random.next(below: objects) }
}

private struct CycleStream: KeyStream {
  let objects: UInt64
  let each: Int
  var left: Int
  var key: UInt64 = 0

  @inline(__always) mutating func nextKey() -> UInt64 {
    if left == 0 {
      left = each
      key &+= 1
      if key == objects { key = 0 }
    }
    left &-= 1
    return key
  }
}

private struct ScanStream: KeyStream {
  var random: RandomStream
  let sampler: ZipfSampler
  let hot: UInt64
  let cold: UInt64
  let length: Int
  let start: UInt64
  var position: UInt64 = 0
  var left = 0

  @inline(__always) mutating func nextKey() -> UInt64 {
    if left == 0 {
      guard random.happens(start) else { return sampler.rank(&random) - 1 }
      left = length
    }
    left &-= 1
    let key = hot &+ position
    position &+= 1
    if position == cold { position = 0 }
    return key
  }
}

private struct HotSpotStream: KeyStream {
  var random: RandomStream
  let hot: UInt64
  let cold: UInt64
  let objects: UInt64
  let threshold: UInt64

  @inline(__always) mutating func nextKey() -> UInt64 {
    if random.happens(threshold) { return random.next(below: hot) }
    return min(hot &+ random.next(below: cold), objects &- 1)
  }
}

private struct ShiftingStream: KeyStream {
  var random: RandomStream
  let sampler: ZipfSampler
  let objects: UInt64
  /// Index after the newest object of the working set, from 1 to `objects`.
  var end: UInt64
  let step: UInt64
  let every: Int
  var left: Int

  @inline(__always) mutating func nextKey() -> UInt64 {
    if left == 0 {
      left = every
      end &+= step
      if end > objects { end &-= objects }
    }
    left &-= 1
    let rank = sampler.rank(&random)
    return rank <= end ? end &- rank : end &+ objects &- rank
  }
}

private struct ArrivalStream: KeyStream {
  var random: RandomStream
  let sampler: ZipfSampler
  let threshold: UInt64
  /// Number of objects so far; those of the law exist from the beginning.
  var count: UInt64
  let limit: UInt64
  /// True if the newest objects are the most popular, false if they are not requested again.
  let ranksNewest: Bool

  static func plan(
    _ setup: GeneratorSetup, share name: String, ranksNewest: Bool
  ) throws(ComponentError) -> GeneratorPlan {
    let (objects, share) = (try setup.whole("objects"), try setup.number(name))
    let limit = objects + setup.arrivals(share: share)
    let stream = ArrivalStream(
      random: RandomStream(seed: setup.seed), sampler: try setup.sampler(of: objects),
      threshold: RandomStream.threshold(share), count: UInt64(objects), limit: UInt64(limit),
      ranksNewest: ranksNewest)
    return GeneratorPlan(keyLimit: limit, stream: stream)
  }

  @inline(__always) mutating func nextKey() -> UInt64 {
    if random.happens(threshold), count < limit {
      count &+= 1
      return count &- 1
    }
    let rank = sampler.rank(&random)
    return ranksNewest ? count &- rank : rank - 1
  }
}
