/// The rings of a cache and what wakes their writer, for as long as the cache or a writer needs
/// them.
final class RecordMemory: Sendable {
  let alarm = RecordAlarm()
  nonisolated(unsafe) let rings: RecordRings

  /// So many rings.
  init(count: Int) { rings = RecordRings.create(count: count, alarm) }

  deinit { rings.destroy() }
}
