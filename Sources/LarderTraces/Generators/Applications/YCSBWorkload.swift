/// One of the core workloads of the Yahoo! Cloud Serving Benchmark: what its requests do and how
/// they choose a record.
struct YCSBWorkload: Sendable {
  /// Which records are popular.
  enum Popularity: Sendable {
    /// Zipf's law over all records, popular ones scattered.
    case zipfian
    /// Zipf's law over the age, newest first.
    case latest
  }

  /// The letter, lower case.
  let letter: String
  /// Shares of read, update, insert, scan and read-modify-write.
  let shares: [Double]
  let popularity: Popularity
  /// What the paper gives as an example, in a few words.
  let example: String

  static let all = [
    YCSBWorkload(
      letter: "a", shares: [0.5, 0.5, 0, 0, 0], popularity: .zipfian,
      example: "update heavy: half reads, half updates; a session store"),
    YCSBWorkload(
      letter: "b", shares: [0.95, 0.05, 0, 0, 0], popularity: .zipfian,
      example: "read mostly: 95 % reads, 5 % updates; photo tags"),
    YCSBWorkload(
      letter: "c", shares: [1, 0, 0, 0, 0], popularity: .zipfian,
      example: "read only; a cache of user profiles"),
    YCSBWorkload(
      letter: "d", shares: [0.95, 0, 0.05, 0, 0], popularity: .latest,
      example: "read latest: 95 % reads, 5 % inserts; status updates"),
    YCSBWorkload(
      letter: "e", shares: [0, 0, 0.05, 0.95, 0], popularity: .zipfian,
      example: "short ranges: 95 % scans, 5 % inserts; threaded conversations"),
    YCSBWorkload(
      letter: "f", shares: [0.5, 0, 0, 0, 0.5], popularity: .zipfian,
      example: "read-modify-write: half reads, half read and written back; user records"),
  ]
}
