/// The hours of the day as a second clock, on which activity is even: what happens at a constant
/// rate by that clock follows the shares of the hours by the real one.
struct DayRhythm: Sendable {
  /// Microseconds of a day.
  static let day: UInt64 = 86_400_000_000
  private static let daysMax = 1e8
  private static let hour = 3_600_000_000.0

  private let shares: [Double]
  /// Share of the day's activity before each hour, 25 values.
  private let before: [Double]

  /// A rhythm from the weights of the hours 0 to 23.
  init(hours: [Double]) {
    let total = hours.reduce(0, +)
    shares = hours.map { $0 / total }
    before = shares.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
  }

  /// Days of activity until a time in microseconds.
  func activity(at time: UInt64) -> Double {
    let (days, rest) = time.quotientAndRemainder(dividingBy: Self.day)
    let hours = Double(rest) / Self.hour
    let hour = min(23, Int(hours))
    return Double(days) + before[hour] + (hours - Double(hour)) * shares[hour]
  }

  /// The time in microseconds at which so many days of activity have passed.
  func time(at activity: Double) -> UInt64 {
    // Far from the clock's overflow, and later than any trace should run.
    let days = UInt64(min(activity, Self.daysMax))
    let rest = min(activity - Double(days), 1)
    var hour = 0
    while hour < 23, before[hour + 1] <= rest { hour += 1 }
    let part = min(1, (rest - before[hour]) / shares[hour])
    return days * Self.day + UInt64((Double(hour) + part) * Self.hour)
  }
}
