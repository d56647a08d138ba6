import LarderEngine

@testable import LarderTraces

/// Samples of server logs: full and partial responses, responses from the client's cache, errors
/// and writes, as the programs write them.
extension SampleTrace {
  static let logs = [
    combined, squid, w3c, haproxy, s3, alb, jsonLines, webTable, hashIDs, redisMonitor,
    memcachedWatch,
  ]

  private static let noon: UInt64 = 1_772_359_200_000_000

  private static func web(
    _ target: String, _ seconds: Double, _ size: UInt32, _ operation: Operation = .get,
    isKnown: Bool = true, ttl: UInt32 = 0, cost: Float = 1
  ) -> TraceRecord {
    TraceRecord(
      key: KeyHash.hash(target), time: noon + UInt64(seconds * 1e6), size: size, ttl: ttl,
      cost: cost, operation: operation, isSizeKnown: isKnown)
  }

  static let combined = SampleTrace(
    format: "combined", file: "sample.combined.log",
    records: [
      web("/news/7", 0, 4096), web("/news/7", 0, 0, isKnown: false),
      web("/news/9?page=2", 1, 0, isKnown: false),
      web("/film.mp4", 2, 65_536, isKnown: false), web("/comments", 2, 17, .bypass),
      web("/missing", 3, 153, isKnown: false), web("/news/7", 4, 188, .bypass),
      web(#"/a\"b c"#, 5, 0, isKnown: false), web("/news/9?page=2", 6, 512),
    ])

  static let webTable = SampleTrace(
    format: "web-table", file: "sample.web-table.csv",
    records: [
      web("example.org/a?x=1,2", 0, 4096), web("example.org/a", 1, 180, .bypass),
      web(#"example.org/say "hi""#, 2, 0, isKnown: false), web("example.org/a", 3, 12, .bypass),
    ])

  static let squid = SampleTrace(
    format: "squid", file: "sample.squid.log",
    records: [
      web("http://example.org/a", 0.25, 4321, cost: 95),
      web("http://example.org/a", 1.5, 4329, cost: TraceRecord.unknownCost),
      web("example.org:443", 2, 9000, .bypass, cost: 120),
      web("http://example.org/slow", 3, 0, .bypass, cost: 5001),
    ])

  static let w3c = SampleTrace(
    format: "w3c", file: "sample.w3c.log",
    records: [
      web("/a.css", 0, 800, cost: 31), web("/find?q=cache&page=2", 1, 5000, cost: 240),
      web("/a.css", 2, 90, .bypass, cost: 3),
    ])

  /// With syslog's prefix; the third response was cut off.
  static let haproxy = SampleTrace(
    format: "haproxy", file: "sample.haproxy.log",
    records: [
      web("www.example.org/a?b=1", 0.123, 4321, cost: 12),
      web("www.example.org/a?b=1", 0.5, 212, .bypass, cost: TraceRecord.unknownCost),
      web("www.example.org/film", 1, 100, isKnown: false, cost: 9),
      web("www.example.org/a", 1, 20, .bypass, isKnown: true, cost: 3),
    ])

  static let s3 = SampleTrace(
    format: "s3", file: "sample.s3.log",
    records: [
      web("photos img/7.png", 0, 4321, cost: 10), web("photos img/7.png", 1, 4321, cost: 8),
      web("photos img/7.png", 2, 4321, cost: 9), web("photos a%2Bb", 3, 0, .bypass, cost: 12),
      web("photos a%2Bb?versionId=v1", 5, 70, cost: 9),
      web("photos a%2Bb", 6, 0, .bypass, cost: TraceRecord.unknownCost),
    ])

  /// HTTP/2, a target that did not respond, a malformed request, and a classic balancer.
  static let alb = SampleTrace(
    format: "alb", file: "sample.alb.log",
    records: [
      web("https://example.org:443/a?q=1", 0.25, 1002, cost: 12),
      web("http://example.org:80/a", 1, 300, .bypass, cost: TraceRecord.unknownCost),
      web("http://example.org:80/b", 3, 57, cost: 1),
    ])

  static let jsonLines = SampleTrace(
    format: "json-lines", file: "sample.jsonl",
    records: [
      web("example.org/a?x=1&y=2", 0.5, 900, ttl: 60, cost: 4),
      web("example.org/b", 1.25, 0, isKnown: false, cost: 250),
      web("example.org/me", 2, 44, .bypass, cost: 500),
    ])

  /// Two turns of a conversation, with another between them; keys in another order, and a prompt
  /// without a whole block.
  static let hashIDs = SampleTrace(
    format: "hash-ids", file: "sample.hash-ids.jsonl",
    records: [
      (0, 0, 1101), (1, 0, 0), (2, 0, 0), (7, 27, 601), (8, 27, 0), (0, 90, 1701), (1, 90, 0),
      (3, 90, 0), (4, 90, 0),
    ].map { (id: UInt64, milliseconds: UInt64, prompt: UInt32) in
      TraceRecord(key: id, time: milliseconds * 1000, prompt: prompt)
    })

  static let redisMonitor: SampleTrace = {
    func key(_ text: String) -> UInt64 { KeyHash.hash(text) }
    let time = { (micros: UInt64) in noon + micros }
    return SampleTrace(
      format: "redis-monitor", file: "sample.redis-monitor.log",
      records: [
        TraceRecord(key: key("user:7"), time: time(100), size: 5, ttl: 60),
        TraceRecord(key: key("user:7"), time: time(400), size: 0, ttl: 60, isSizeKnown: false),
        TraceRecord(key: 17, time: time(400), size: 0, isSizeKnown: false),
        TraceRecord(
          key: key(#"2"user:7"#), time: time(500), size: 0, operation: .delete, isSizeKnown: false),
        TraceRecord(
          key: 17, time: time(600), size: 0, operation: .set, isSizeKnown: false),
      ])
  }()

  /// The get right before a store is the server's own.
  static let memcachedWatch: SampleTrace = {
    let key = KeyHash.hash("user")
    return SampleTrace(
      format: "memcached-watch", file: "sample.memcached-watch.log",
      records: [
        TraceRecord(key: key, time: noon + 100, size: 96, ttl: 60),
        TraceRecord(key: key, time: noon + 900, size: 96, ttl: 60),
      ])
  }()
}
