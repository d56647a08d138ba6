import LarderEngine

extension DiskCore {
  private enum MoveOutcome {
    case done
    case refused(isPassing: Bool)
  }

  /// Recycles segments while too many bytes are dead. Called only after a commit, so a failure
  /// loses no acknowledged value; failures are ignored, and the next call tries again.
  func recycleSegments() {
    if let index { settleMoves(index) }
    while transaction.operations == 0, unsettledMoves.isEmpty, folder.values.segments.isWasteful,
      let index,
      let segment = folder.values.segments.victim()
    {
      guard recycle(segment, index) else { return }
    }
  }

  private func recycle(_ segment: UInt64, _ index: DiskIndex) -> Bool {
    var moves: [DiskMove] = []
    var isDone = true
    do throws(SQLiteError) {
      try beginWriting(index)
      for id in folder.values.segments.ids(in: segment, { slots[Int($0)].file }) {
        if case .refused(let isPassing) = try move(id, &moves, index) {
          if !isPassing { folder.values.segments.spend(segment) }
          isDone = false
          break
        }
      }
      // Rows of values that were found damaged.
      if !doomed.isEmpty { try beginWriting(index) }
      try commit(index)
    } catch {
      takeBack(moves)
      rollBack(index)
      if !error.isWriteFailure { try? recover(from: error) }
      return false
    }
    for move in moves {
      folder.values.retire(move.old, bytes: move.bytes, keeps: true)
      statistics.bytesMoved += UInt64(move.bytes)
    }
    if isDone { folder.values.segments.spend(segment) }
    return isDone
  }

  func setFile(_ file: UInt64, of id: ObjectID) {
    slots[Int(id)].file = file
    if file != 0 { folder.values.note(id, at: file) }
  }

  private func move(
    _ id: ObjectID, _ moves: inout [DiskMove], _ index: DiskIndex
  ) throws(SQLiteError) -> MoveOutcome {
    let slot = slots[Int(id)]
    let count = Int(slot.bytes) + (index.seal == nil ? 0 : DiskSeal.overhead)
    let body = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { body.deallocate() }
    let file: UInt64
    do throws(FileFailure) {
      guard try isWhole(slot, into: body, isSealed: index.seal != nil) else {
        dropDamaged(id)
        return .done
      }
      file = try folder.values.write(UnsafeRawBufferPointer(body))
    } catch {
      return .refused(isPassing: error.isPassing)
    }
    do throws(SQLiteError) {
      guard try index.move(id, slot, toPlace: file) else {
        transaction.retired.append(StoredValue(number: file, bytes: slot.bytes))
        dropDamaged(id)
        return .done
      }
    } catch {
      transaction.retired.append(StoredValue(number: file, bytes: slot.bytes))
      throw error
    }
    setFile(file, of: id)
    moves.append(
      DiskMove(id: id, stored: slot.stored, old: slot.file, copy: file, bytes: slot.bytes))
    return .done
  }

  private func isWhole(
    _ slot: DiskSlot, into body: UnsafeMutableRawBufferPointer, isSealed: Bool
  ) throws(FileFailure) -> Bool {
    do throws(FileFailure) {
      guard try folder.values.location(of: slot.file).read(into: body) else { return false }
    } catch {
      if error.isNoFile { return false }
      throw error
    }
    let bytes = UnsafeRawBufferPointer(body)
    return isSealed
      ? DiskSeal.mark(bytes) == slot.checksum
      : ByteHash.hash(bytes, seed: slot.digest.checksumSeed) == slot.checksum
  }

  /// Reverts the moves of a failed commit. Both copies are kept: a crash may show the whole commit,
  /// and without a log SQLite may have finished the commit before it failed.
  private func takeBack(_ moves: [DiskMove]) {
    for move in moves { slots[Int(move.id)].file = move.old }
    unsettledMoves += moves
  }

  func settleMoves(_ index: DiskIndex) {
    if unsettledMoves.isEmpty || index.connection.isInTransaction { return }
    unsettledMoves.removeAll { move in
      let slot = slots[Int(move.id)]
      // Its row is deleted in the next transaction.
      if doomed.contains(move.id) { return false }
      guard slot.isStored, slot.stored == move.stored, slot.file == move.old else {
        folder.values.retire(move.copy, bytes: move.bytes, keeps: true)
        return true
      }
      do throws(SQLiteError) {
        let isMoved = try index.stored(move.id)?.row.file == move.copy
        if isMoved { setFile(move.copy, of: move.id) }
        folder.values.retire(isMoved ? move.old : move.copy, bytes: move.bytes, keeps: true)
        return true
      } catch {
        return false
      }
    }
  }
}

struct DiskMove {
  let id: ObjectID
  let stored: UInt64
  let old: UInt64
  let copy: UInt64
  let bytes: UInt32
}

extension DiskCore {
  /// Changes the limits and evicts entries that no longer fit, chosen by the policy, which is
  /// restored as when a database is opened. O(n log n) in the entries.
  ///
  /// - Throws: `limit` or `configuration`, in which case nothing has changed; `closed`; `database`.
  func resize(_ limits: DiskLimits) throws(DiskCacheError) -> DiskRemoval {
    var wanted = configuration
    wanted.limits = limits
    try wanted.check()
    try checkPolicy(wanted)
    let removal = try begin(\.evictions, as: .evict(.capacity))
    let before = (entries, valueBytes + permanentBytes)
    let (expiries, choice) = (expiries(), tier.choice)
    configuration = wanted
    bytesSinceFreeCheck = .max
    try remakeTier(configuration)
    try replay(expiries, choice)
    tier.resetCounts()
    removal.freed.count = before.0 - entries
    removal.freed.valueBytes = before.1 - valueBytes - permanentBytes
    return removal
  }

  private func expiries() -> DiskBlocks<UInt64> {
    let expiries = DiskBlocks<UInt64>(count: slots.count)
    for id in slots.indices { expiries[id] = tier.expiry(ObjectID(id)) }
    return expiries
  }
}

extension DiskCore {
  var usage: DiskUsage {
    DiskUsage(
      database: (try? folder.files.size(folder.databasePath)) ?? 0,
      log: [folder.logPath, folder.journalPath].reduce(0) {
        $0 + ((try? folder.files.size($1)) ?? 0)
      },
      files: folder.values.usedBytes,
      spare: folder.values.spareBytes, aside: folder.asideBytes)
  }

  var writes: DiskWrites {
    DiskWrites(files: folder.values.bytesWritten, log: index?.connection.bytesWritten ?? 0)
  }
}
