import LarderEngine

/// The file `order`: which entries were used, when and how often, since they were stored. It is a
/// hint: without it the order of storing stands.
///
/// Eight-byte numbers, little-endian: mark, the database's seed, entries, checksum; then for each
/// entry the number of the operation that used it last, and its id with the hits above it.
extension DiskCore {
  private static var mark: UInt64 { 0x3172_6564_726f_6c21 }

  /// Hits between two writings: many against the cost of one.
  var orderInterval: Int { max(1 << 16, slots.count * 4) }

  /// Writes the file where there were many hits since it was. For calls that write anyway: a get
  /// does not wait for the disk because of a hint.
  func writeOrderAfterHits() {
    if hitsSinceOrder >= orderInterval { writeOrder() }
  }

  /// Writes the file. A failure leaves the old one, which is no harm.
  func writeOrder() {
    hitsSinceOrder = 0
    guard let index else { return }
    var words: [UInt64] = [Self.mark, index.seed, 0, 0]
    for id in slots.indices.dropFirst() {
      let slot = slots[id]
      guard slot.isStored, slot.state == .known, slot.hits > 0 else { continue }
      words.append(slot.accessed.littleEndian)
      words.append((UInt64(id) | UInt64(slot.hits) << 32).littleEndian)
    }
    words[2] = UInt64((words.count - 4) / 2)
    words[3] = words.withUnsafeBytes {
      ByteHash.hash(UnsafeRawBufferPointer(rebasing: $0[32...]), seed: index.seed)
    }
    for place in 0..<4 { words[place] = words[place].littleEndian }
    let temporary = folder.orderPath + ".new"
    do throws(FileFailure) {
      try words.withUnsafeBufferPointer { (words) throws(FileFailure) in
        try folder.files.write(
          UnsafeRawBufferPointer(words), to: temporary, .new,
          syncs: configuration.durability == .full)
      }
      if try ![.file, .missing].contains(folder.files.kind(folder.orderPath)) {
        try folder.files.removeTree(folder.orderPath)
      }
      try folder.files.rename(temporary, to: folder.orderPath)
    } catch {}
  }

  /// Reads the file into the slots; what does not fit what the database says is left out. `moved`
  /// holds new ids by old ones.
  func readOrder(moved: [Int64: ObjectID]) {
    guard let index, let bytes = try? folder.files.size(folder.orderPath), bytes >= 32,
      bytes % 16 == 0, bytes <= 32 + UInt64(max(slots.count, 1 << 16)) * 16
    else { return }
    var words = [UInt64](repeating: 0, count: Int(bytes / 8))
    let isWhole = try? words.withUnsafeMutableBytes {
      try folder.files.read(folder.orderPath, into: $0)
    }
    for place in words.indices { words[place] = UInt64(littleEndian: words[place]) }
    guard isWhole == true, words[0] == Self.mark, words[1] == index.seed,
      words[2] == UInt64((words.count - 4) / 2)
    else { return }
    let sum = words[4...].map(\.littleEndian).withUnsafeBytes {
      ByteHash.hash($0, seed: index.seed)
    }
    guard sum == words[3] else { return }
    for place in stride(from: 4, to: words.count, by: 2) {
      let accessed = words[place]
      let noted = Int64(words[place + 1] & 0xffff_ffff)
      let id = moved[noted].map { Int($0) } ?? Int(noted)
      guard id < slots.count, slots[id].isStored, slots[id].stored < accessed,
        accessed <= DiskRow.sequenceMax
      else { continue }
      slots[id].accessed = accessed
      slots[id].hits = UInt8(truncatingIfNeeded: words[place + 1] >> 32)
    }
  }
}
