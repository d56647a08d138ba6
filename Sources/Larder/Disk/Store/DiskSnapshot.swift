import LarderEngine
import LarderLibc

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file `snapshot`: the slots of a cache, with which it opens without reading its rows, last
/// use and number of uses of each entry, and the choice of a policy that chooses among others.
///
/// Blocks of 1,024 records, each sealed if the cache is encrypted and followed by a checksum; then
/// the words of the choice, and the footer. Numbers are as in memory.
///
/// Slots count only if the database names the file's generation: it does so once the file is
/// finished, if no transaction was begun meanwhile, and until the next one, which takes the name
/// away together with its changes of rows (`DiskLog`). So whatever fails or is lost, rows are as
/// they were when the file was written, or it is a hint for the policy alone.
final class DiskSnapshot {
  struct Record: BitwiseCopyable {
    var slot = DiskSlot()
    var expiry: UInt64 = 0
    /// Time of the last use; 0 if it is not kept.
    var time: UInt64 = 0
  }

  struct Footer: BitwiseCopyable {
    var mark = DiskSnapshot.mark
    var seed: UInt64
    var generation: UInt64
    var records: UInt64
    var choice: UInt64
    var checksum: UInt64 = 0

    func sum(_ choice: UnsafeRawBufferPointer) -> UInt64 {
      var copy = self
      copy.checksum = 0
      return withUnsafeBytes(of: copy) {
        ByteHash.hash($0, seed: ByteHash.hash(choice, seed: seed))
      }
    }
  }

  private static var mark: UInt64 { 0x3170_616e_7364_724c }
  static var choiceMax: Int { 4096 }
  static var blockRecords: Int { 1024 }

  let generation: UInt64
  let count: Int
  let choice: PolicyChoice?
  private let memory: UnsafeMutableRawBufferPointer
  private let seal: DiskSeal?

  /// Takes over the memory, which is `isWhole`.
  init(_ memory: UnsafeMutableRawBufferPointer, _ seal: DiskSeal?) {
    (self.memory, self.seal) = (memory, seal)
    let footer = Self.footer(memory)
    generation = footer.generation
    count = Int(footer.records)
    let first = Self.place(count, seal)
    choice = PolicyChoice(
      words: (0..<Int(footer.choice)).map {
        memory.loadUnaligned(fromByteOffset: first + $0 * 8, as: UInt64.self)
      }[...])
  }

  deinit { Self.free(memory) }

  fileprivate static func free(_ memory: UnsafeMutableRawBufferPointer) {
    if let start = memory.baseAddress { LargeMemory.deallocate(start, bytes: memory.count) }
  }

  /// The record of an id below `count`.
  subscript(id: Int) -> Record {
    let block = id / Self.blockRecords * Self.blockRecords
    let place = Self.place(block, seal) + (id - block) * MemoryLayout<Record>.stride
    return memory.loadUnaligned(fromByteOffset: place, as: Record.self)
  }

  private static func footer(_ memory: UnsafeMutableRawBufferPointer) -> Footer {
    memory.loadUnaligned(
      fromByteOffset: memory.count - MemoryLayout<Footer>.size, as: Footer.self)
  }

  /// True if the memory has a whole snapshot of this database, whose blocks are opened in place.
  static func isWhole(
    _ memory: UnsafeMutableRawBufferPointer, seed: UInt64, _ seal: DiskSeal?
  ) -> Bool {
    let end = memory.count - MemoryLayout<Footer>.size
    guard end >= 0 else { return false }
    let footer = footer(memory)
    guard footer.mark == Self.mark, footer.seed == seed, footer.choice <= Self.choiceMax,
      footer.records <= UInt64(ObjectID.max)
    else { return false }
    let count = Int(footer.records)
    let first = place(count, seal)
    guard first + Int(footer.choice) * 8 == end,
      footer.sum(UnsafeRawBufferPointer(rebasing: memory[first..<end])) == footer.checksum
    else { return false }
    return stride(from: 0, to: count, by: blockRecords).allSatisfy { first in
      let end = place(min(count, first + blockRecords), seal) - 8
      let body = UnsafeMutableRawBufferPointer(rebasing: memory[place(first, seal)..<end])
      let number = UInt64(first)
      guard
        ByteHash.hash(UnsafeRawBufferPointer(body), seed: footer.generation ^ number)
          == memory.loadUnaligned(fromByteOffset: end, as: UInt64.self)
      else { return false }
      guard let seal else { return true }
      let opened = seal.openBlock(UnsafeRawBufferPointer(body), footer.generation, number)
      return opened?.withUnsafeBytes { body.copyMemory(from: $0) } != nil
    }
  }

  /// Offset of the block with this many records before it, or of the end of the last block.
  fileprivate static func place(_ records: Int, _ seal: DiskSeal?) -> Int {
    let blocks = (records + blockRecords - 1) / blockRecords
    return MemoryLayout<Record>.stride * records
      + blocks * (8 + (seal == nil ? 0 : DiskSeal.overhead))
  }
}

/// A snapshot that is being written, a block with each call.
struct DiskSnapshotWriting {
  let generation: UInt64
  let slots: Int
  /// Transactions begun before; nil if slots differ from their rows already.
  var transactions: Int?
  var written = 0
}

extension DiskCore {
  private var snapshotInterval: UInt64 { UInt64(max(1 << 16, slots.count * 4)) }

  /// Called by operations that write anyway: writes a block if a snapshot is being written, and
  /// begins one after many requests. A get does not wait for the disk because of a hint.
  func continueSnapshot() {
    if writing == nil {
      guard sequence &- snapshotSequence >= snapshotInterval else { return }
      beginSnapshot()
    }
    writeSnapshotBlock()
  }

  func beginSnapshot() {
    snapshotSequence = sequence
    if uses.areKept { uses.noteWritten(clock.time) }
    guard let index else { return }
    let generation = UInt64.random(in: 1 ... .max >> 1) << 1 | (index.tags == nil ? 0 : 1)
    writing = DiskSnapshotWriting(
      generation: generation, slots: slots.count,
      transactions: hasRowsAsSlots(index) ? index.log.transactions : nil)
  }

  /// True if each stored slot has its row in the database, and no other row exists.
  private func hasRowsAsSlots(_ index: DiskIndex) -> Bool {
    !index.connection.isInTransaction && transaction.operations == 0 && doomed.isEmpty
      && unsettledMoves.isEmpty && !index.log.isLost
  }

  /// Writes the next block, and returns true if there are more. Failures are ignored: the rows are
  /// read instead.
  ///
  /// - Parameter names: True if the database may come to name it, with a commit; a get must not do
  ///   that, which may hold a reader.
  @discardableResult func writeSnapshotBlock(names: Bool = false) -> Bool {
    guard let index, var next = writing else { return false }
    writing = nil
    do throws(FileFailure) {
      try write(&next, index)
      if next.written < next.slots {
        writing = next
        return true
      }
      snapshotTransactions = nil
      try finish(next, index)
    } catch {
      return false
    }
    if names, hasRowsAsSlots(index), next.transactions == index.log.transactions {
      name(next, index)
    }
    return false
  }

  private func name(_ done: DiskSnapshotWriting, _ index: DiskIndex) {
    do throws(SQLiteError) {
      try index.log.name(snapshot: done.generation)
      index.log.emptyJournal(in: folder)
      snapshotTransactions = done.transactions
    } catch {
      rollBack(index)
      if !error.isWriteFailure { try? recover(from: error) }
    }
  }

  private func write(
    _ next: inout DiskSnapshotWriting, _ index: DiskIndex
  ) throws(FileFailure) {
    let count = min(DiskSnapshot.blockRecords, next.slots - next.written)
    var records = Array(repeating: DiskSnapshot.Record(), count: count)
    for place in 0..<count {
      let (id, slot) = (ObjectID(next.written + place), slots[next.written + place])
      guard slot.isStored else { continue }
      let isKnown = slot.state == .known
      // It is being read for the last time, and removed after that.
      if isKnown, !tier.contains(id) { next.transactions = nil }
      records[place] = DiskSnapshot.Record(
        slot: slot, expiry: isKnown ? tier.expiry(id) : Expiry.never.microseconds, time: uses[id])
    }
    var body = records.withUnsafeBytes { Data($0) }
    let number = UInt64(next.written)
    if let seal = index.seal {
      guard let sealed = seal.sealBlock(body, next.generation, number) else {
        throw FileFailure("seal", folder.snapshotPath, ENOMEM)
      }
      body = sealed
    }
    let sum = body.withUnsafeBytes { ByteHash.hash($0, seed: next.generation ^ number) }
    withUnsafeBytes(of: sum) { body.append(contentsOf: $0) }
    try append(body, next, syncs: false, index)
    next.written += count
  }

  private func append(
    _ bytes: Data, _ next: DiskSnapshotWriting, syncs: Bool, _ index: DiskIndex
  ) throws(FileFailure) {
    let offset = DiskSnapshot.place(next.written, index.seal)
    let answer = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFailure) in
        try folder.files.write(
          bytes, to: folder.snapshotPath + ".new", at: UInt64(offset),
          next.written == 0 ? .new : .existing, syncs: syncs)
      }
    }
    try answer.get()
  }

  private func finish(
    _ next: DiskSnapshotWriting, _ index: DiskIndex
  ) throws(FileFailure) {
    var words = tier.choice?.words ?? []
    if words.count > DiskSnapshot.choiceMax { words = [] }
    var footer = DiskSnapshot.Footer(
      seed: index.seed, generation: next.generation, records: UInt64(next.slots),
      choice: UInt64(words.count))
    var bytes = words.withUnsafeBytes { words in
      footer.checksum = footer.sum(words)
      return Data(words)
    }
    withUnsafeBytes(of: footer) { bytes.append(contentsOf: $0) }
    try append(bytes, next, syncs: configuration.durability == .full, index)
    if try ![.file, .missing].contains(folder.files.kind(folder.snapshotPath)) {
      try folder.files.removeTree(folder.snapshotPath)
    }
    try folder.files.rename(folder.snapshotPath + ".new", to: folder.snapshotPath)
  }

  func readSnapshot(_ index: DiskIndex) -> DiskSnapshot? {
    guard let bytes = try? folder.files.size(folder.snapshotPath), bytes > 0, bytes < 1 << 40
    else { return nil }
    let memory = UnsafeMutableRawBufferPointer(
      start: LargeMemory.allocate(bytes: Int(bytes)), count: Int(bytes))
    guard (try? folder.files.read(folder.snapshotPath, into: memory)) == true,
      DiskSnapshot.isWhole(memory, seed: index.seed, index.seal)
    else {
      DiskSnapshot.free(memory)
      return nil
    }
    return DiskSnapshot(memory, index.seal)
  }
}

extension PolicyChoice {
  fileprivate var words: [UInt64] {
    let text = Array(policies.joined(separator: "/").utf8)
    let numbers = [sampleShare, samples, recentSwitches].map(\.bitPattern)
    var words = [UInt64(leading), UInt64(switches)] + numbers
    words += [UInt64(hitRatios.count), UInt64(text.count)] + hitRatios.map(\.bitPattern)
    for start in stride(from: 0, to: text.count, by: 8) {
      words.append(
        text[start..<min(start + 8, text.count)].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    return words
  }

  fileprivate init?(words: ArraySlice<UInt64>) {
    let words = Array(words)
    guard words.count >= 7, words[5] <= words.count - 7 else { return nil }
    let texts = 7 + Int(words[5])
    var text = words[texts...].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    guard words[6] <= text.count else { return nil }
    text.removeLast(text.count - Int(words[6]))
    self.init(
      stored: String(decoding: text, as: UTF8.self)
        .split(separator: "/", omittingEmptySubsequences: false).map(String.init),
      leading: words[0], switches: words[1],
      hitRatios: words[7..<texts].map { Double(bitPattern: $0) },
      sampleShare: Double(bitPattern: words[2]), samples: Double(bitPattern: words[3]),
      recentSwitches: Double(bitPattern: words[4]))
  }
}

struct DiskUses {
  private let life: UInt64?
  private let times = DiskBlocks<UInt64>()
  private var written: UInt64

  init(life: UInt64?, from now: UInt64) {
    self.life = life
    written = now
  }

  var areKept: Bool { life != nil }

  subscript(id: ObjectID) -> UInt64 { Int(id) < times.count ? times[Int(id)] : 0 }

  /// Expiry of an entry unless it is used before. Never for an id without an entry, and for
  /// permanent ones, whose expiry is not asked for.
  func expiry(_ id: ObjectID) -> Expiry {
    guard let life, Int(id) < times.count else { return .never }
    return Expiry(after: life, from: times[Int(id)])
  }

  mutating func note(_ id: ObjectID, _ now: UInt64) {
    guard areKept else { return }
    times.grow(to: Int(id) + 1)
    times[Int(id)] = now
  }

  func areDue(_ now: UInt64) -> Bool {
    guard let life else { return false }
    return now < written || now - written >= max(1, life / 8)
  }

  mutating func noteWritten(_ now: UInt64) { written = now }
}

extension DiskCore {
  private struct Event {
    enum Kind: UInt64 { case insert, replace, hit }
    /// The sequence number, and the kind in the two lower bits.
    var order: UInt64
    var id: ObjectID

    init(_ sequence: UInt64, _ id: ObjectID, _ kind: Kind) {
      order = sequence << 2 | kind.rawValue
      self.id = id
    }
  }

  /// Tells the policy of all entries in the order of their stores and uses.
  func replay(
    _ expiries: DiskBlocks<UInt64>, _ choice: PolicyChoice?
  ) throws(DiskCacheError) {
    let limits = configuration.limits
    let resident = slots.count { $0.isStored && $0.state == .known }
    if resident > limits.count ?? .max || valueBytes + rowBytes > limits.bytes ?? .max {
      // The limits are lower than last time: let the policy choose with the whole history.
      try remakeTier(configuration.withoutLimits)
      tell(expiries, choice)
      while tier.count > 0,
        tier.count > limits.count ?? .max || valueBytes + rowBytes > limits.bytes ?? .max
      {
        drop(tier.giveUp(), .evict(.capacity))
        statistics.evictions += 1
      }
      try remakeTier(configuration)
    }
    tell(expiries, choice)
  }

  private func events() -> [Event] {
    var events: [Event] = []
    var newest = sequence
    let slots = slots
    events.reserveCapacity(slots.count * 2)
    for place in 1..<slots.count {
      let (id, slot) = (ObjectID(place), slots[place])
      guard slot.isStored, slot.state == .known else { continue }
      events.append(Event(slot.inserted, id, .insert))
      if slot.stored > slot.inserted { events.append(Event(slot.stored, id, .replace)) }
      if slot.hits > 0 { events.append(Event(slot.accessed, id, .hit)) }
      newest = max(newest, slot.accessed)
    }
    sequence = newest
    return Self.sorted(events)
  }

  /// Sorts by digits of eleven bits, those of equal order by id: they are in that order at first.
  private static func sorted(_ events: [Event]) -> [Event] {
    let (first, last) = events.reduce((.max, 0)) { (min($0.0, $1.order), max($0.1, $1.order)) }
    var (from, to, shift) = (events, events, UInt64(0))
    while last > first, (last - first) >> shift > 0 {
      var places = [Int](repeating: 0, count: 2049)
      for event in from { places[Int((event.order - first) >> shift & 2047) + 1] += 1 }
      for digit in 1...2047 { places[digit] += places[digit - 1] }
      for event in from {
        let digit = Int((event.order - first) >> shift & 2047)
        to[places[digit]] = event
        places[digit] += 1
      }
      swap(&from, &to)
      shift += 11
    }
    return from
  }

  private func tell(_ expiries: DiskBlocks<UInt64>, _ choice: PolicyChoice?) {
    tier.setRestoring(true, choice: choice)
    defer { tier.setRestoring(false, choice: choice) }
    // Read once: each use of a property of the class is checked.
    let (slots, tier) = (slots, tier)
    for event in events() where slots[Int(event.id)].isStored {
      let id = event.id
      if event.order & 3 == Event.Kind.hit.rawValue {
        // At time 0, so that nothing expires here.
        for _ in 0..<min(slots[Int(id)].hits, Self.replayedHitsMax) where tier.contains(id) {
          _ = tier.access(id, 0)
          if dropVictims(sparing: id, counting: \.evictions) { drop(id, .evict(.capacity)) }
        }
      } else {
        let slot = slots[Int(id)]
        var request = Request(
          id: id, size: weight(slot.bytes, row: slot.rowUnits), expires: expiries[Int(id)],
          cost: slot.cost)
        request.fingerprint = slot.digest.fingerprint
        var outcome = tier.set(request, 0)
        // It was stored before, so a policy that waits for a second request has seen it.
        if outcome == .rejected { outcome = tier.set(request, 0) }
        let isVictim = dropVictims(sparing: id, counting: \.evictions)
        if outcome == .rejected || isVictim { drop(id, .evict(.capacity)) }
      }
    }
  }

  private static var replayedHitsMax: UInt8 { 15 }
}
