/// What a `LevelPass` knows of an object.
protocol LevelEntry: BitwiseCopyable {
  /// Its level; 0 where it is not resident.
  var level: UInt32 { get set }
  /// Its last request.
  var stamp: UInt32 { get }

  /// Whether new objects are at level 1, which may be below all others. Otherwise they are above
  /// the level of the last victim.
  static var startsAtOne: Bool { get }

  /// A new object. `floor` is the level of the last victim.
  init(floor: UInt32, stamp: UInt32)

  /// It is requested again.
  mutating func request(floor: UInt32, stamp: UInt32)
}

/// LFU: the level is the number of requests.
struct FrequencyEntry: LevelEntry {
  var level: UInt32
  private(set) var stamp: UInt32

  static var startsAtOne: Bool { true }

  @inline(__always)
  init(floor: UInt32, stamp: UInt32) {
    level = 1
    self.stamp = stamp
  }

  @inline(__always)
  mutating func request(floor: UInt32, stamp: UInt32) {
    level &+= 1
    self.stamp = stamp
  }
}

/// GDSF where all sizes and costs are 1: the number of requests above the level of the last victim.
struct AgedEntry: LevelEntry {
  var level: UInt32
  private(set) var stamp: UInt32
  private var requests: UInt32
  // Entries do not cross cache lines.
  private var unused: UInt32 = 0

  static var startsAtOne: Bool { false }

  @inline(__always)
  init(floor: UInt32, stamp: UInt32) {
    level = floor &+ 1
    self.stamp = stamp
    requests = 1
  }

  @inline(__always)
  mutating func request(floor: UInt32, stamp: UInt32) {
    requests &+= 1
    level = floor &+ requests
    self.stamp = stamp
  }
}
