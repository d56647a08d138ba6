/// Events that wait to be handed over, in order. There is room for `eventsMax`; when one more
/// comes, the oldest is lost.
struct HybridEventQueue {
  /// At most how many wait.
  static var eventsMax: Int { 4096 }

  // A ring once it is full: the oldest is then at `first`.
  private var events: [HybridEvent] = []
  private var first = 0
  private var lost: UInt64 = 0
  /// How many were lost since the beginning.
  private(set) var dropped: UInt64 = 0

  init() {}

  var isEmpty: Bool { events.isEmpty }

  /// Adds an event. O(1).
  mutating func append(_ event: HybridEvent) {
    if events.count < Self.eventsMax {
      events.append(event)
      return
    }
    events[first] = event
    first = (first + 1) % events.count
    lost += 1
    dropped += 1
  }

  /// Takes all out, the oldest first, and before them an event that says how many were lost.
  mutating func takeAll() -> [HybridEvent] {
    defer {
      events = []
      first = 0
      lost = 0
    }
    if lost == 0 { return events }
    return [HybridEvent(.dropped(lost), key: nil, tier: nil)] + events[first...] + events[..<first]
  }
}
