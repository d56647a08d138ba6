import LarderLibc

/// A kind of system call.
package enum SystemCall: Sendable, Hashable {
  case openToRead, openToWrite, create
  case read, write, truncate, rename, remove, makeFolder
  /// Waiting until a file, or the names of a folder, are on the disk.
  case sync, syncFolder
  case ask
}

/// Calls of a simulated disk that fail.
package struct SimulatedFault: Sendable {
  /// Kind of failure.
  package enum Kind: Sendable, Hashable, CaseIterable {
    case noSpace
    case inputOutput
    case readOnly
    case tooManyFiles
    /// A write that writes a part before the disk is full.
    case shortWrite
    /// A failed sync, after which the system considers unwritten data written.
    case sync
  }

  package var kind: Kind
  /// Number of the first call that fails among those that can, from 1.
  package var first: Int
  package var count: Int
  private var calls = 0

  /// Creates a fault; see the properties.
  package init(_ kind: Kind, first: Int, count: Int) {
    self.kind = kind
    self.first = first
    self.count = count
  }

  /// Error number with which a call fails, nil if it does not.
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
