/// The articles a publisher brings out, and which of them is opened at a time.
///
/// Articles have ordinals in order of their day; each day has as many, with the same popularities
/// in another order. An article is chosen by rejection: a day by the most its articles can be in
/// demand at their age, a rank on that day by popularity, and the article is kept by what its true
/// age is of that most. So the cost does not depend on how many articles there are.
struct NewsArticles: Sendable {
  /// Articles older than this many days are not opened.
  static let daysMax = 30

  /// Articles a day.
  let perDay: UInt64
  private let rhythm: DayRhythm
  private let sampler: ZipfSampler
  private let order: Permutation
  private let seed: UInt64
  /// Time of publication within the day by place in the day's order.
  private let timeOfDay: [UInt64]
  /// Demand by age in hours.
  private let demand: [Double]
  /// For each hour of the day, the most demand of articles of today, yesterday and so on, summed
  /// up.
  private let envelopes: [[Double]]
  private let oldViews: UInt64

  /// Articles with the measured popularity and ageing.
  init(
    perDay: Int, exponent: Double, shift: Double, oldViews: Double, rhythm: DayRhythm,
    seed: UInt64
  ) {
    self.perDay = UInt64(perDay)
    self.rhythm = rhythm
    self.seed = RandomStream.derived(seed, 0xa871)
    self.oldViews = RandomStream.threshold(oldViews)
    sampler = ZipfSampler(count: perDay, exponent: exponent, shift: shift)
    order = Permutation(count: perDay, seed: seed)
    timeOfDay = (0..<perDay).map { rhythm.time(at: (Double($0) + 0.5) / Double(perDay)) }
    var demand: [Double] = []
    for (hours, weight) in NewsReading.ageWeights {
      while demand.count < hours { demand.append(weight) }
    }
    self.demand = demand
    envelopes = (0..<24).map { hour in
      var sum = 0.0
      return (0...Self.daysMax).map { daysAgo in
        let youngest = daysAgo == 0 ? 0 : 24 * (daysAgo - 1) + hour
        let oldest = min(24 * daysAgo + hour, demand.count - 1)
        sum += youngest > oldest ? 0 : Self.most(demand[youngest...oldest])
        return sum
      }
    }
  }

  private static func most(_ values: ArraySlice<Double>) -> Double { values.reduce(0, max) }

  /// When the article comes out.
  func published(_ article: UInt64) -> UInt64 {
    let (day, place) = article.quotientAndRemainder(dividingBy: perDay)
    return day * DayRhythm.day + timeOfDay[Int(place)]
  }

  /// The article that somebody opens at a time, which is at least `daysMax` days after the
  /// beginning.
  func choose(at time: UInt64, _ random: inout RandomStream) -> UInt64 {
    let (today, rest) = time.quotientAndRemainder(dividingBy: DayRhythm.day)
    if random.happens(oldViews) { return chooseOld(at: time, &random) }
    let envelope = envelopes[Int(rest / 3_600_000_000)]
    while true {
      let level = random.nextUnit() * envelope[Self.daysMax]
      var daysAgo = 0
      while daysAgo < Self.daysMax, envelope[daysAgo] <= level { daysAgo += 1 }
      let day = today - UInt64(daysAgo)
      let place = order((sampler.rank(&random) - 1 + rotation(of: day)) % perDay)
      let published = day * DayRhythm.day + timeOfDay[Int(place)]
      guard published <= time else { continue }
      let age = Int((time - published) / 3_600_000_000)
      guard age < demand.count else { continue }
      let most = envelope[daysAgo] - (daysAgo == 0 ? 0 : envelope[daysAgo - 1])
      if random.nextUnit() * most <= demand[age] { return day * perDay + place }
    }
  }

  /// One of the newest articles, whoever reads them.
  func chooseNew(at time: UInt64, _ random: inout RandomStream) -> UInt64 {
    // The count of articles by the even clock is exact but for the half place they are set apart.
    let next = UInt64(rhythm.activity(at: time) * Double(perDay) + 0.5)
    return next - 1 - random.next(below: NewsReading.newest)
  }

  /// Any article from 7 to 30 days old.
  private func chooseOld(at time: UInt64, _ random: inout RandomStream) -> UInt64 {
    let youngest = rhythm.activity(at: time - 7 * DayRhythm.day)
    let oldest = rhythm.activity(at: time - UInt64(Self.daysMax) * DayRhythm.day)
    return UInt64((oldest + random.nextUnit() * (youngest - oldest)) * Double(perDay))
  }

  /// Popular articles come out at other hours every day.
  private func rotation(of day: UInt64) -> UInt64 {
    RandomStream.derived(seed, day) % perDay
  }
}
