import LarderEngine

/// The file `order`: last use and number of uses of each entry since it was stored, and the choice
/// of a policy that chooses among others. It is only a hint: without it the order of storing
/// applies, and the policy starts anew.
///
/// Layout, in eight-byte numbers, little-endian: magic number, the database's seed, number of
/// entries with the length of the choice in the upper half, checksum; then for each entry the
/// sequence number of its last use, and its id with the hits in the upper bits; and, with another
/// magic number, the time of that use in microseconds; then the choice, if there is one.
extension DiskCore {
  private static var mark: UInt64 { 0x3172_6564_726f_6c21 }
  private static var timedMark: UInt64 { 0x3272_6564_726f_6c21 }

  var orderInterval: Int { max(1 << 16, slots.count * 4) }

  /// Writes the file if there were many hits since the last time. Called by operations that write
  /// anyway: a get does not wait for the disk because of a hint.
  func writeOrderAfterHits() {
    if hitsSinceOrder >= orderInterval { writeOrder() }
  }

  func writeOrder() {
    hitsSinceOrder = 0
    guard let index else { return }
    let hasTimes = uses.areKept
    if hasTimes { uses.noteWritten(clock.time) }
    var words: [UInt64] = [hasTimes ? Self.timedMark : Self.mark, index.seed, 0, 0]
    for id in slots.indices.dropFirst() {
      let slot = slots[id]
      guard slot.isStored, slot.state == .known else { continue }
      let time = hasTimes ? uses[ObjectID(id)] : 0
      guard slot.hits > 0 || hasTimes && time > slot.created else { continue }
      words.append(slot.accessed.littleEndian)
      words.append((UInt64(id) | UInt64(slot.hits) << 32).littleEndian)
      if hasTimes { words.append(time.littleEndian) }
    }
    words[2] = UInt64((words.count - 4) / (hasTimes ? 3 : 2))
    if let choice = tier.choice?.words, choice.count <= Self.choiceMax {
      words[2] |= UInt64(choice.count) << 32
      words += choice.map(\.littleEndian)
    }
    words[3] = words.withUnsafeBytes {
      ByteHash.hash(UnsafeRawBufferPointer(rebasing: $0[32...]), seed: index.seed)
    }
    for place in 0..<4 { words[place] = words[place].littleEndian }
    let temporary = folder.orderPath + ".new"
    do throws(FileFailure) {
      try words.withUnsafeBufferPointer { (words) throws(FileFailure) in
        try folder.files.write(
          UnsafeRawBufferPointer(words), to: temporary, at: nil, .new,
          syncs: configuration.durability == .full)
      }
      if try ![.file, .missing].contains(folder.files.kind(folder.orderPath)) {
        try folder.files.removeTree(folder.orderPath)
      }
      try folder.files.rename(temporary, to: folder.orderPath)
    } catch {}
  }

  func readOrder() -> PolicyChoice? {
    guard let index, let bytes = try? folder.files.size(folder.orderPath), bytes >= 32,
      bytes % 8 == 0, bytes <= UInt64(4 + max(slots.count, 1 << 16) * 3 + Self.choiceMax) * 8
    else { return nil }
    var words = [UInt64](repeating: 0, count: Int(bytes / 8))
    let isWhole = try? words.withUnsafeMutableBytes {
      try folder.files.read(folder.orderPath, into: $0)
    }
    for place in words.indices { words[place] = UInt64(littleEndian: words[place]) }
    let parts = words[0] == Self.timedMark ? 3 : 2
    let end = words.count - Int(words[2] >> 32)
    guard isWhole == true, [Self.mark, Self.timedMark].contains(words[0]), words[1] == index.seed,
      end - 4 == Int(words[2] & 0xffff_ffff) * parts
    else { return nil }
    let sum = words[4...].map(\.littleEndian).withUnsafeBytes {
      ByteHash.hash($0, seed: index.seed)
    }
    guard sum == words[3] else { return nil }
    let now = clock.time
    for place in stride(from: 4, to: end, by: parts) {
      let accessed = words[place]
      let id = Int(words[place + 1] & 0xffff_ffff)
      guard id < slots.count, slots[id].isStored, slots[id].stored <= accessed,
        accessed <= DiskRow.sequenceMax
      else { continue }
      if parts == 3 {
        uses.note(ObjectID(id), max(slots[id].created, min(words[place + 2], now)))
      }
      guard slots[id].stored < accessed else { continue }
      slots[id].accessed = accessed
      slots[id].hits = UInt8(truncatingIfNeeded: words[place + 1] >> 32)
    }
    return PolicyChoice(words: words[end...])
  }

  private static var choiceMax: Int { 4096 }
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
  private var times: [UInt64] = []
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
    while times.count <= Int(id) { times.append(0) }
    times[Int(id)] = now
  }

  func areDue(_ now: UInt64) -> Bool {
    guard let life else { return false }
    return now < written || now - written >= max(1, life / 8)
  }

  mutating func noteWritten(_ now: UInt64) { written = now }
}

extension DiskCore {
  struct Fact {
    var cost: Float
    var expiry: Expiry
  }

  private struct Event {
    enum Kind: Int { case insert, replace, hit }
    var sequence: UInt64
    var id: ObjectID
    var kind: Kind
  }

  func replay(
    _ facts: [ObjectID: Fact], _ choice: PolicyChoice?
  ) throws(DiskCacheError) {
    let limits = configuration.limits
    let resident = slots.count { $0.isStored && $0.state == .known }
    if resident > limits.count ?? .max || valueBytes + rowBytes > limits.bytes ?? .max {
      // The limits are lower than last time: let the policy choose with the whole history.
      try remakeTier(configuration.withoutLimits)
      tell(facts, choice)
      while tier.count > 0,
        tier.count > limits.count ?? .max || valueBytes + rowBytes > limits.bytes ?? .max
      {
        drop(tier.giveUp(), .evict(.capacity))
        statistics.evictions += 1
      }
      try remakeTier(configuration)
    }
    tell(facts, choice)
  }

  private func events() -> [Event] {
    var events: [Event] = []
    for place in slots.indices.dropFirst() {
      let (id, slot) = (ObjectID(place), slots[place])
      guard slot.isStored, slot.state == .known else { continue }
      events.append(Event(sequence: slot.inserted, id: id, kind: .insert))
      if slot.stored > slot.inserted {
        events.append(Event(sequence: slot.stored, id: id, kind: .replace))
      }
      if slot.hits > 0 { events.append(Event(sequence: slot.accessed, id: id, kind: .hit)) }
      sequence = max(sequence, slot.accessed)
    }
    events.sort {
      ($0.sequence, $0.id, $0.kind.rawValue) < ($1.sequence, $1.id, $1.kind.rawValue)
    }
    return events
  }

  private func tell(_ facts: [ObjectID: Fact], _ choice: PolicyChoice?) {
    tier.setRestoring(true, choice: choice)
    defer { tier.setRestoring(false, choice: choice) }
    for event in events() where slots[Int(event.id)].isStored {
      let id = event.id
      if event.kind == .hit {
        // At time 0, so that nothing expires here.
        for _ in 0..<min(slots[Int(id)].hits, Self.replayedHitsMax) where tier.contains(id) {
          _ = tier.access(id, 0)
          if dropVictims(sparing: id, counting: \.evictions) { drop(id, .evict(.capacity)) }
        }
      } else {
        let fact = facts[id] ?? Fact(cost: 1, expiry: .never)
        let slot = slots[Int(id)]
        var request = Request(
          id: id, size: weight(slot.bytes, row: slot.rowUnits), expires: fact.expiry.microseconds,
          cost: fact.cost)
        if let digest = slot.digest { request.fingerprint = digest.fingerprint }
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
