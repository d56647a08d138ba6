import LarderLibc

/// What a process asks of the system.
package enum SystemCall: Sendable, Hashable {
  /// Opening to read, to write, and to make a file.
  case openToRead, openToWrite, create
  case read, write, truncate, rename, remove, makeFolder
  /// Waiting until a file, or the names of a folder, are on the disk.
  case sync, syncFolder
  /// Asking for facts.
  case ask
}

/// Calls of a simulated disk that fail.
package struct SimulatedFault: Sendable {
  /// How they fail.
  package enum Kind: Sendable, Hashable, CaseIterable {
    /// ENOSPC in everything that needs room.
    case noSpace
    /// EIO in any call.
    case inputOutput
    /// EROFS in everything that changes something.
    case readOnly
    /// EMFILE in everything that opens something.
    case tooManyFiles
    /// A write that writes a part and then has no room.
    case shortWrite
    /// Syncing, after which the system takes what it could not write for written.
    case sync
  }

  /// How calls fail.
  package var kind: Kind
  /// The number of the first call that fails among those that can, from 1.
  package var first: Int
  /// How many do.
  package var count: Int
  private var calls = 0

  /// See the properties.
  package init(_ kind: Kind, first: Int, count: Int) {
    self.kind = kind
    self.first = first
    self.count = count
  }

  /// The error number with which a call fails, nil if it does not.
  mutating func number(_ call: SystemCall) -> Int32? {
    guard let number = errorNumber(call) else { return nil }
    calls += 1
    guard calls >= first, calls - first < count else { return nil }
    return number
  }

  private func errorNumber(_ call: SystemCall) -> Int32? {
    let isHit: Bool
    switch kind {
    case .noSpace: isHit = [.create, .write, .rename, .makeFolder, .sync].contains(call)
    case .inputOutput: isHit = true
    case .readOnly:
      isHit = [.openToWrite, .create, .write, .truncate, .rename, .remove, .makeFolder]
        .contains(call)
    case .tooManyFiles: isHit = [.openToRead, .openToWrite, .create].contains(call)
    case .shortWrite: isHit = call == .write
    case .sync: isHit = call == .sync || call == .syncFolder
    }
    guard isHit else { return nil }
    switch kind {
    case .noSpace, .shortWrite: return ENOSPC
    case .inputOutput, .sync: return EIO
    case .readOnly: return EROFS
    case .tooManyFiles: return EMFILE
    }
  }
}
