import Larder
import LarderEngine
import LarderLibc

/// A disk in memory that loses, reorders and tears unsynced changes on a power cut, and whose calls
/// fail as a test demands. Deterministic for a seed.
///
/// After a power cut each block of a file shows some state that it had since the file was synced,
/// as does each name in a folder. So a synced file is lost with its name if its folder was not
/// synced. For one thread at a time.
package final class SimulatedDisk: @unchecked Sendable {
  private(set) var root = SimulatedFolder()
  /// All folders by path. The root has the empty path.
  private var folders: [String: SimulatedFolder] = [:]
  /// False from the power cut until `restart`: every call fails.
  private(set) var isOn = true
  /// Number of calls since the disk was created.
  package private(set) var calls = 0
  package var cutCall = Int.max
  /// Calls that fail, nil for none.
  package var fault: SimulatedFault?
  private var lockedFolders: Set<String> = []
  private var cuts: UInt64 = 0
  private var starts = 0
  private var random: SimulationRandom
  private var layer: SimulatedDatabaseLayer?

  /// Creates an empty disk.
  package init(seed: UInt64) {
    random = SimulationRandom(seed: seed)
    folders[""] = root
  }

  var layerName: String {
    if let layer { return layer.name }
    let made = SimulatedDatabaseLayer(self)
    layer = made
    return made.name
  }

  /// Returns a disk with the same contents, synced and unsynced, without faults, open files or
  /// locked folders.
  package func copy(seed: UInt64) -> SimulatedDisk {
    let copy = SimulatedDisk(seed: seed)
    var files: [ObjectIdentifier: SimulatedFile] = [:]
    copy.root = root.copy(&files)
    copy.findFolders()
    return copy
  }

  // MARK: Power

  /// Stops the process: from now on every call fails, and changes nothing.
  package func stop() { isOn = false }

  /// Restarts with the state left by the last process, or with what a power cut leaves of it.
  package func restart(losesPower: Bool) {
    if losesPower {
      cuts += 1
      root.cut(cuts, seed: random.next())
      findFolders()
    }
    lockedFolders = []
    starts += 1
    cutCall = .max
    isOn = true
  }

  private func findFolders() {
    folders = [:]
    func find(_ folder: SimulatedFolder, _ path: String) {
      folders[path] = folder
      for (name, item) in folder.items {
        if case .folder(let below) = item { find(below, "\(path)/\(name)") }
      }
    }
    find(root, "")
  }

  /// True if a power cut leaves a file unchanged, including its name and those of its folders.
  package func isSynced(_ path: String) -> Bool {
    let (parent, name) = Self.split(path)
    guard let folder = folders[parent] else { return false }
    if !folder.isSynced(name) || folder.file(name)?.isSynced == false { return false }
    return parent.isEmpty || isSynced(parent)
  }

  /// Number of calls that failed because of faults.
  package private(set) var failures = 0
  /// True if one of them was a read.
  private(set) var hasFailedToRead = false
  /// True if calls may still fail.
  var isFailing: Bool { fault != nil }

  package func endFault() { fault = nil }

  // MARK: Calls

  /// Begins a call; throws, without any change, if it fails.
  func begin(_ call: SystemCall, _ path: String) throws(FileFailure) {
    #if LARDER_SCHEDULES
      Schedules.hook?.step()
    #endif
    guard isOn else { throw FileFailure("use", path, EIO) }
    calls += 1
    // A call that waits for the disk does not return.
    if calls >= cutCall, call == .sync || call == .syncFolder { try cut(path) }
    if let number = fault?.number(call) {
      failures += 1
      if number != EMFILE, call == .read || call == .openToRead { hasFailedToRead = true }
      throw FileFailure("\(call)", path, number)
    }
  }

  func end(_ path: String) throws(FileFailure) {
    if calls >= cutCall { try cut(path) }
  }

  private func cut(_ path: String) throws(FileFailure) {
    isOn = false
    throw FileFailure("use", path, EIO)
  }

  /// Effect of a failing write: a part may have been written.
  func writePart(_ bytes: UnsafeRawBufferPointer, at offset: Int, of file: SimulatedFile) {
    guard isOn, fault?.kind == .shortWrite || random.oneIn(2) else { return }
    file.write(
      UnsafeRawBufferPointer(rebasing: bytes[..<random.below(bytes.count)]), at: offset)
  }

  func sync(_ file: SimulatedFile, _ path: String) throws(FileFailure) {
    do throws(FileFailure) {
      try begin(.sync, path)
    } catch {
      if isOn { file.failToSync(seed: random.next()) }
      throw error
    }
    file.sync()
  }

  func syncFolder(_ path: String) throws(FileFailure) {
    try begin(.openToRead, path)
    guard let folder = folders[path == "/" ? "" : path] else {
      throw FileFailure("open", path, ENOENT)
    }
    do throws(FileFailure) {
      try begin(.syncFolder, path)
    } catch {
      if isOn { folder.failToSync(seed: random.next()) }
      throw error
    }
    folder.sync()
  }

  // MARK: Names

  static func split(_ path: String) -> (folder: String, name: String) {
    let utf8 = path.utf8
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
    return (String(path[..<slash]), String(path[utf8.index(after: slash)...]))
  }

  func folder(_ path: String) -> SimulatedFolder? { folders[path] }

  func item(_ path: String) -> SimulatedFolder.Item? {
    let (parent, name) = Self.split(path)
    return folders[parent]?.items[name]
  }

  func file(_ path: String) -> SimulatedFile? {
    let (parent, name) = Self.split(path)
    return folders[parent]?.file(name)
  }

  func set(_ path: String, _ item: SimulatedFolder.Item?) throws(FileFailure) {
    let (parent, name) = Self.split(path)
    guard let folder = folders[parent] else { throw FileFailure("use", path, ENOENT) }
    folder.set(name, item)
    if case .folder(let made) = item { folders[path] = made } else { folders[path] = nil }
  }

  // MARK: Locks

  /// Locks a folder, until the lock is destroyed or the disk is restarted.
  func take(_ path: String) -> FolderLock? {
    guard lockedFolders.insert(path).inserted else { return nil }
    let start = starts
    return FolderLock { [weak self] in
      if let self, self.starts == start { self.lockedFolders.remove(path) }
    }
  }
}
