import LarderEngine

/// Turns the events of a recording into requests as simulations know them, where a get that misses
/// stores what it asked for: a miss and the set that answers it become one get, with size and time
/// to live of what was set.
///
/// Requests are held back until so many more have come. O(1) an event, and 16 bytes for each key
/// whose entries have a time to live.
struct RecordedFolding {
  /// How many requests are held back.
  static let window = 1 << 15

  private var held: [TraceRecord] = []
  /// How many of them were handed on.
  private var done = 0
  /// The number of requests before the first that is held.
  private var before = 0
  /// By key, the number of a miss that no set has answered yet.
  private var misses: [UInt64: Int] = [:]
  private var lifetimes: [UInt64: UInt32] = [:]

  /// Adds an event.
  mutating func add(_ event: RecordedEvent, began: UInt64) {
    var record = TraceRecord(
      key: event.key, time: began &+ event.time, size: UInt32(clamping: event.size ?? 0),
      cost: event.cost ?? TraceRecord.unknownCost, isSizeKnown: event.size != nil)
    switch event.kind {
    case .get:
      if event.outcome == .miss { misses[event.key] = before + held.count }
      record.ttl = Self.seconds(event.lifetime)
      if event.outcome == .hit { record.ttl = lifetimes[event.key] ?? 0 }
    case .found:
      // The size is that of the object; what memory missed was a hit all the same.
      if let number = misses.removeValue(forKey: event.key) {
        fill(number, record, lifetimes[event.key] ?? 0)
      }
      return
    case .set:
      let ttl = Self.seconds(event.lifetime)
      if ttl != 0 || !lifetimes.isEmpty { lifetimes[event.key] = ttl == 0 ? nil : ttl }
      if let number = misses.removeValue(forKey: event.key), fill(number, record, ttl) { return }
      record.operation = Operation.set.rawValue
      record.ttl = ttl
    case .remove:
      misses[event.key] = nil
      record.operation = Operation.delete.rawValue
    case .modify: record.operation = Operation.modify.rawValue
    case .bypass: record.operation = Operation.bypass.rawValue
    case .expire:
      record.operation = Operation.expire.rawValue
      record.ttl = Self.seconds(event.lifetime)
      if record.ttl != 0 || !lifetimes.isEmpty {
        lifetimes[event.key] = record.ttl == 0 ? nil : record.ttl
      }
    case .clear: return
    }
    held.append(record)
  }

  /// Gives a miss what was stored for it; false where it was handed on already.
  @discardableResult
  private mutating func fill(_ number: Int, _ stored: TraceRecord, _ ttl: UInt32) -> Bool {
    let place = number - before
    guard place >= done, place < held.count else { return false }
    if stored.isSizeKnown {
      held[place].size = stored.size
      held[place].isSizeKnown = true
    }
    held[place].cost = stored.cost
    held[place].ttl = ttl
    return true
  }

  /// Takes the first request while more than the window are held.
  mutating func next() -> TraceRecord? {
    held.count - done > Self.window ? take() : nil
  }

  /// Takes the first request; nil when there is none.
  mutating func rest() -> TraceRecord? { done < held.count ? take() : nil }

  private mutating func take() -> TraceRecord {
    let record = held[done]
    done += 1
    if done == Self.window {
      held.removeFirst(done)
      before += done
      done = 0
      let first = before
      misses = misses.filter { $0.value >= first }
    }
    return record
  }

  /// Seconds, rounded up; 0 for no limit.
  private static func seconds(_ milliseconds: UInt64?) -> UInt32 {
    guard let milliseconds, milliseconds > 0 else { return 0 }
    return UInt32(clamping: milliseconds / 1000 + (milliseconds % 1000 == 0 ? 0 : 1))
  }
}
