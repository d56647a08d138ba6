/// A file of a simulated disk: the contents that the process sees, those on the disk, and the
/// changes in between.
final class SimulatedFile {
  private enum Change {
    case bytes(at: Int, [UInt8])
    case size(Int, isShorter: Bool)
  }

  private(set) var bytes: [UInt8] = []
  private var synced: [UInt8] = []
  private var pending: [Change] = []
  /// Number of the last power cut that was applied, because a file may have two names.
  private var lastCut: UInt64 = 0

  private static let pageBytes = 4_096

  init() {}

  init(copyOf other: SimulatedFile) {
    bytes = other.bytes
    synced = other.synced
    pending = other.pending
  }

  /// True if a power cut cannot change the file.
  var isSynced: Bool { pending.isEmpty }

  func write(_ new: UnsafeRawBufferPointer, at offset: Int) {
    guard !new.isEmpty else { return }
    if bytes.count < offset + new.count {
      bytes.append(contentsOf: repeatElement(0, count: offset + new.count - bytes.count))
    }
    bytes.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[offset..<(offset + new.count)])
        .copyMemory(from: new)
    }
    pending.append(.bytes(at: offset, Array(new)))
  }

  func resize(_ size: Int) {
    guard size != bytes.count else { return }
    pending.append(.size(size, isShorter: size < bytes.count))
    Self.resize(&bytes, size)
  }

  private static func resize(_ bytes: inout [UInt8], _ size: Int) {
    if size < bytes.count {
      bytes.removeLast(bytes.count - size)
    } else {
      bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
    }
  }

  /// Writes all changed pages, as a whole, and the size.
  func sync() {
    guard !pending.isEmpty else { return }
    Self.resize(&synced, bytes.count)
    for change in pending {
      guard case .bytes(let offset, let new) = change else { continue }
      let first = offset / Self.pageBytes * Self.pageBytes
      let last = min(
        bytes.count, (offset + new.count + Self.pageBytes - 1) / Self.pageBytes * Self.pageBytes)
      if first < last { synced.replaceSubrange(first..<last, with: bytes[first..<last]) }
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Fails to write the changed pages, reports that once, and considers them written from then on,
  /// as Linux does: some have reached the disk, and the others never do unless they are changed
  /// again.
  func failToSync(seed: UInt64) {
    synced = afterCut(seed: seed)
    pending.removeAll(keepingCapacity: true)
  }

  func cut(_ number: UInt64, seed: UInt64) {
    guard lastCut != number else { return }
    lastCut = number
    synced = afterCut(seed: seed)
    pending.removeAll(keepingCapacity: true)
    bytes = synced
  }

  private func afterCut(seed: UInt64) -> [UInt8] {
    guard !pending.isEmpty else { return synced }
    let moments = CrashMoments(seed: seed, changes: pending.count)
    let shownSize = moments.changes(shownBy: .max)
    let cuttings = pending.enumerated().compactMap { place, change in
      if case .size(let size, true) = change { (place, size) } else { nil }
    }
    var size = synced.count
    for (place, change) in pending.enumerated() where place < shownSize {
      switch change {
      case .bytes(let offset, let new): size = max(size, offset + new.count)
      case .size(let new, _): size = new
      }
    }
    var image = synced
    if size > image.count {
      if moments.showsGarbage {
        image += moments.garbage(size - image.count)
      } else {
        Self.resize(&image, size)
      }
    }
    for (place, change) in pending.enumerated() {
      switch change {
      case .bytes(let offset, let new):
        let end = min(offset + new.count, image.count)
        Self.forEachBlock(offset, end, moments.blockBytes) { block, range in
          guard place < moments.changes(shownBy: block, cuttings, shownSize) else { return }
          image.replaceSubrange(
            range, with: new[(range.lowerBound - offset)..<(range.upperBound - offset)])
        }
      case .size(let new, _):
        // Truncated and regrown parts are empty.
        Self.forEachBlock(new, image.count, moments.blockBytes) { block, range in
          guard place < moments.changes(shownBy: block, cuttings, shownSize) else { return }
          image.replaceSubrange(range, with: repeatElement(0, count: range.count))
        }
      }
    }
    Self.resize(&image, size)
    return image
  }

  private static func forEachBlock(
    _ first: Int, _ end: Int, _ blockBytes: Int, _ body: (Int, Range<Int>) -> Void
  ) {
    var offset = first
    while offset < end {
      let block = offset / blockBytes
      let next = min(end, (block + 1) * blockBytes)
      body(block, offset..<next)
      offset = next
    }
  }
}
