/// When the last requests of each object were, and the rate that follows from them.
///
/// Memory: 168 bytes an object, from the first `note` on. O(1).
struct ArrivalTimes: ~Copyable {
  /// Intervals between requests that count, at most and at least.
  private static var intervalsMax: UInt64 { 20 }
  private static var intervalsMin: UInt64 { 3 }
  private static var places: UInt64 { intervalsMax + 1 }

  /// More objects have no room.
  static var objectsMax: Int { Int(UInt32.max / UInt32(places)) - 1 }

  private var times = Column<UInt64>(objects: 0)
  private var objects: Int

  /// Of ids up to `objects`, at most `objectsMax`.
  init(objects: Int) { self.objects = objects }

  /// The object's request `number`, from 0, is at `now`.
  mutating func note(_ id: ObjectID, number: UInt64, now: UInt64) {
    if times.objects == 0 { times.reserve(objects: ArrivalTimes.slots(objects)) }
    times[ArrivalTimes.slot(id, number)] = now
  }

  /// Requests per microsecond after request `number`, whose time is `last`; 0 where too few came.
  func rate(of id: ObjectID, number: UInt64, last: UInt64) -> Double {
    let intervals = min(number, ArrivalTimes.intervalsMax)
    guard intervals >= ArrivalTimes.intervalsMin else { return 0 }
    let first = times[ArrivalTimes.slot(id, number - intervals)]
    // Requests of one moment: as if they had come within a microsecond.
    return 1 / (Double(max(last - first, 1)) / Double(intervals))
  }

  /// Makes ids up to `objects` valid.
  mutating func reserve(objects: Int) {
    self.objects = objects
    if times.objects > 0 { times.reserve(objects: ArrivalTimes.slots(objects)) }
  }

  /// Memory held, in bytes.
  var bytes: Int { times.objects > 0 ? times.bytes : 0 }

  private static func slots(_ objects: Int) -> Int { (objects + 1) * Int(places) - 1 }

  private static func slot(_ id: ObjectID, _ number: UInt64) -> UInt32 {
    id * UInt32(places) + UInt32(number % places)
  }
}
