/// Up to which of its unsynced changes each piece of a file or folder has reached the disk when the
/// power goes out. The pieces do not depend on each other: that loses, reorders and tears changes.
///
/// A piece is a block of a file or a name in a folder. All of it shows the state after some change,
/// as a block does that the system writes back at some moment.
struct CrashMoments {
  private enum Kind { case nothing, everything, oneMoment, eachItsOwn, mostly }

  private let kind: Kind
  private let seed: UInt64
  private let changes: Int
  private let moment: Int
  /// Bytes of a file that reach the disk together.
  let blockBytes: Int
  /// Whether space that a file has got, and nothing was written to, shows what stood there before.
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

  /// How many of the changes a piece shows.
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

  /// How many of the changes a block of a file shows.
  ///
  /// A block that was cut off is gone if the size says so, and untouched if it does not: ext4, XFS
  /// and Btrfs write the new size to their journals before they free blocks, and what is written
  /// behind it afterwards stands in other blocks. SQLite relies on that when it empties its log: a
  /// log of which a part was lost would bring back old pages.
  ///
  /// - Parameters:
  ///   - cuttings: the changes that made the file shorter, and the size that each left.
  ///   - shownSize: how many of the changes the size shows.
  func changes(
    shownBy block: Int, _ cuttings: [(place: Int, size: Int)], _ shownSize: Int
  ) -> Int {
    var shown = changes(shownBy: UInt64(block))
    for (place, size) in cuttings where (block + 1) * blockBytes > size {
      shown = place < shownSize ? max(shown, place + 1) : min(shown, place)
    }
    return shown
  }

  /// What an empty piece of space shows.
  func garbage(_ count: Int) -> [UInt8] {
    var random = SimulationRandom(seed: ~seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }
}
