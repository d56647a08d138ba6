/// State of each piece of a file or folder after a power cut: the number of its unsynced changes
/// that have reached the disk. The pieces are independent: that loses, reorders and tears changes.
///
/// A piece is a block of a file or a name in a folder. All of it shows the state after one of the
/// changes, like a block that the system writes back at some moment.
struct CrashMoments {
  private enum Kind { case nothing, everything, oneMoment, eachItsOwn, mostly }

  private let kind: Kind
  private let seed: UInt64
  private let changes: Int
  private let moment: Int
  /// Size of the blocks of a file that reach the disk as a whole.
  let blockBytes: Int
  /// True if allocated space that was never written shows its previous contents.
  let showsGarbage: Bool

  init(seed: UInt64, changes: Int) {
    var random = SimulationRandom(seed: seed)
    kind = random.pick([.nothing, .everything, .oneMoment, .eachItsOwn, .eachItsOwn, .mostly])
    blockBytes = random.pick([64, 512, 512, 4_096, 4_096])
    showsGarbage = random.oneIn(6)
    moment = random.below(changes + 1)
    self.seed = random.next()
    self.changes = changes
  }

  func changes(shownBy piece: UInt64) -> Int {
    switch kind {
    case .nothing: return 0
    case .everything: return changes
    case .oneMoment: return moment
    case .eachItsOwn, .mostly:
      var random = SimulationRandom(seed: seed ^ SimulationRandom.mixed(piece))
      if kind == .mostly, !random.oneIn(16) { return changes }
      return random.below(changes + 1)
    }
  }

  /// Number of changes that a block of a file shows.
  ///
  /// A truncated block is gone if the size says so, and unchanged if it does not: ext4, XFS and
  /// Btrfs write the new size to their journals before they free blocks, and later writes go to
  /// other blocks. SQLite relies on that when it empties its log: a partially lost log would
  /// restore old pages.
  ///
  /// - Parameters:
  ///   - cuttings: Changes that truncated the file, and the size after each.
  ///   - shownSize: Number of changes that the size shows.
  func changes(
    shownBy block: Int, _ cuttings: [(place: Int, size: Int)], _ shownSize: Int
  ) -> Int {
    var shown = changes(shownBy: UInt64(block))
    for (place, size) in cuttings where (block + 1) * blockBytes > size {
      shown = place < shownSize ? max(shown, place + 1) : min(shown, place)
    }
    return shown
  }

  func garbage(_ count: Int) -> [UInt8] {
    var random = SimulationRandom(seed: ~seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }
}
