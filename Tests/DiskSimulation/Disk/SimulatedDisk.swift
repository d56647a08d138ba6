import Larder
import LarderEngine
import LarderLibc

/// A disk in memory that loses, reorders and tears what was not synced when its power goes out, and
/// whose calls fail when a test says so. Everything follows from a seed.
///
/// Of a file, each block shows some state that it had since the file was synced; of a folder, each
/// name does. So a file that was synced is lost with its name when its folder was not. For one
/// thread at a time.
package final class SimulatedDisk: @unchecked Sendable {
  private(set) var root = SimulatedFolder()
  /// All folders by their paths. The root has the empty one.
  private var folders: [String: SimulatedFolder] = [:]
  /// False from when the power goes out until `restart`: nothing can be asked.
  private(set) var isOn = true
  /// Calls since the disk was made.
  package private(set) var calls = 0
  /// The number of the call in which the power goes out.
  package var cutCall = Int.max
  /// Calls that fail, nil for none.
  package var fault: SimulatedFault?
  private var lockedFolders: Set<String> = []
  private var cuts: UInt64 = 0
  private var starts = 0
  private var random: SimulationRandom
  /// What SQLite knows it by.
  private var layer: SimulatedDatabaseLayer?

  /// An empty disk.
  package init(seed: UInt64) {
    random = SimulationRandom(seed: seed)
    folders[""] = root
  }

  /// The name of its layer for SQLite.
  var layerName: String {
    if let layer { return layer.name }
    let made = SimulatedDatabaseLayer(self)
    layer = made
    return made.name
  }

  /// A disk with the same content, synced and not, which does not fail. It has no open files, and
  /// no folder of it is taken.
  package func copy(seed: UInt64) -> SimulatedDisk {
    let copy = SimulatedDisk(seed: seed)
    var files: [ObjectIdentifier: SimulatedFile] = [:]
    copy.root = root.copy(&files)
    copy.findFolders()
    return copy
  }

  // MARK: Power

  /// Ends everything that is going on: from now on every call fails, and changes nothing.
  package func stop() { isOn = false }

  /// Starts again, with everything as the last process left it, or with what a power cut leaves of
  /// that.
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

  /// Whether a power cut leaves a file as it is, its name and those of its folders included.
  package func isSynced(_ path: String) -> Bool {
    let (parent, name) = Self.split(path)
    guard let folder = folders[parent] else { return false }
    if !folder.isSynced(name) || folder.file(name)?.isSynced == false { return false }
    return parent.isEmpty || isSynced(parent)
  }

  /// Calls that have failed because of faults.
  package private(set) var failures = 0
  /// Whether one of them was to read something.
  private(set) var hasFailedToRead = false
  /// Whether calls may still fail.
  var isFailing: Bool { fault != nil }

  /// From now on nothing fails.
  package func endFault() { fault = nil }

  // MARK: Calls

  /// Begins a call: throws when it fails, and changes nothing then.
  func begin(_ call: SystemCall, _ path: String) throws(FileFailure) {
    #if LARDER_SCHEDULES
      Schedules.hook?.step()
    #endif
    guard isOn else { throw FileFailure("use", path, EIO) }
    calls += 1
    // What waits for the disk waits in vain.
    if calls >= cutCall, call == .sync || call == .syncFolder { try cut(path) }
    if let number = fault?.number(call) {
      failures += 1
      if number != EMFILE, call == .read || call == .openToRead { hasFailedToRead = true }
      throw FileFailure("\(call)", path, number)
    }
  }

  /// Ends a call that has changed something.
  func end(_ path: String) throws(FileFailure) {
    if calls >= cutCall { try cut(path) }
  }

  private func cut(_ path: String) throws(FileFailure) {
    isOn = false
    throw FileFailure("use", path, EIO)
  }

  /// What a call that writes does when it fails: a part may have been written.
  func writePart(_ bytes: UnsafeRawBufferPointer, at offset: Int, of file: SimulatedFile) {
    guard isOn, fault?.kind == .shortWrite || random.oneIn(2) else { return }
    file.write(
      UnsafeRawBufferPointer(rebasing: bytes[..<random.below(bytes.count)]), at: offset)
  }

  /// Waits until a file is on the disk.
  func sync(_ file: SimulatedFile, _ path: String) throws(FileFailure) {
    do throws(FileFailure) {
      try begin(.sync, path)
    } catch {
      if isOn { file.failToSync(seed: random.next()) }
      throw error
    }
    file.sync()
  }

  /// Waits until the names in a folder are on the disk.
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

  /// Changes what has a name.
  func set(_ path: String, _ item: SimulatedFolder.Item?) throws(FileFailure) {
    let (parent, name) = Self.split(path)
    guard let folder = folders[parent] else { throw FileFailure("use", path, ENOENT) }
    folder.set(name, item)
    if case .folder(let made) = item { folders[path] = made } else { folders[path] = nil }
  }

  // MARK: Locks

  /// Takes a folder, for as long as the lock lives and the disk is not started again.
  func take(_ path: String) -> FolderLock? {
    guard lockedFolders.insert(path).inserted else { return nil }
    let start = starts
    return FolderLock { [weak self] in
      if let self, self.starts == start { self.lockedFolders.remove(path) }
    }
  }
}
