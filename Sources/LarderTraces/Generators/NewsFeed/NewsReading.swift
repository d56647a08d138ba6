/// How people read news, measured: page views of a large news portal (G1, October 2017; 16 days,
/// 3.0 million views, 46,033 articles, 322,897 readers), summarised to these figures.
///
/// The publisher of the data removed sessions of one view and repeated views within a session.
enum NewsReading {
  /// Shares of the views by hour of day, UTC, of readers in UTC-3.
  static let hours = [
    0.042, 0.040, 0.032, 0.021, 0.011, 0.006, 0.005, 0.006, 0.011, 0.024, 0.043, 0.062, 0.054,
    0.056, 0.061, 0.063, 0.067, 0.064, 0.064, 0.064, 0.060, 0.051, 0.047, 0.045,
  ]

  /// How likely an article is viewed at an age, relative to others as popular: until an age in
  /// hours, a weight. Fitted so that the ages of views come out as measured: under 1 h 3.5 %, 1-2 h
  /// 2.4 %, 2-4 h 5.8 %, 4-8 h 11.9 %, 8-12 h 8.1 %, 12-24 h 23.1 %, 24-48 h 23.3 %, 2-4 d 13.4 %,
  /// 4-7 d 6.6 %, more 1.9 %. They are not simply those shares by length, because publishing and
  /// reading follow the same hours of the day. The last is a third of what was measured: the rest
  /// is views of any old article (see `oldViews`).
  static let ageWeights: [(untilHours: Int, weight: Double)] = [
    (1, 1.467), (2, 1.015), (4, 1.332), (8, 1.619), (12, 1.310), (24, 1), (48, 0.5054),
    (96, 0.14575), (168, 0.04738), (720, 0.000668),
  ]

  /// Articles published a day; measured 1,500 to 5,000, median 2,900.
  static let articles = 2900

  /// Popularity among the articles of one day is 1 / (rank + shift)^exponent. Fitted so that the
  /// views of one day, which are of articles of many days, come out as measured: exponent 1.28 to
  /// 1.30 over the first 300, first article 5-10 %, first 10 34-40 %, first 100 80 % of the views.
  static let popularity = (exponent: 1.9, shift: 3.0)

  /// Share of the views that go to any article from 7 to 30 days old, popular or not (links,
  /// search). Fitted to the 61-63 % of a day's articles that are viewed once.
  static let oldViews = "1.2%"

  /// Article views of a session, from 2 up; measured median 2, mean 2.7, 90 % up to 4, 99 % up to
  /// 8.
  static let sessionWeights = [0.62, 0.20, 0.09, 0.04, 0.02, 0.012, 0.01, 0.005, 0.003]

  /// Exponent of Zipf's law over how many articles ago the article was read that a reader opens
  /// again. Our choice: half of the time one of the last two.
  static let backExponent = 1.3

  /// How many of the newest articles the feed's newest places come from. Our choice: at the busy
  /// hours about what comes out in a quarter of an hour.
  static let newest: UInt64 = 40

  /// Seconds between two views of a session: median 30, 75 % under 122, 90 % under 336. Both ends
  /// are ours.
  static let viewGaps = QuantileTable([(0, 4), (0.5, 30), (0.75, 122), (0.9, 336), (1, 1500)])

  /// Hours between a reader's sessions: 10 % under 2, 25 % under 7.5, median 24, 75 % under 66.
  /// Both ends are ours.
  static let sessionGaps = QuantileTable([
    (0, 0.6), (0.1, 2), (0.25, 7.5), (0.5, 24), (0.75, 66), (1, sessionGapMax),
  ])
  /// The longest pause, hours.
  static let sessionGapMax = 240.0
}
