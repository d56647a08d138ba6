/// A folder of a simulated disk: the names that the process sees, and those on the disk.
final class SimulatedFolder {
  enum Item {
    case file(SimulatedFile)
    case folder(SimulatedFolder)
  }

  private(set) var items: [String: Item] = [:]
  private var synced: [String: Item] = [:]
  private var pending: [(name: String, item: Item?)] = []

  init() {}

  /// Names in an order that is the same in every process.
  var names: [String] { items.keys.sorted() }

  func set(_ name: String, _ item: Item?) {
    items[name] = item
    pending.append((name, item))
  }

  func file(_ name: String) -> SimulatedFile? {
    if case .file(let file) = items[name] { return file }
    return nil
  }

  /// True if a power cut leaves a name unchanged.
  func isSynced(_ name: String) -> Bool {
    !pending.contains { $0.name == name } && Self.object(items[name]) === Self.object(synced[name])
  }

  private static func object(_ item: Item?) -> AnyObject? {
    switch item {
    case .file(let file): file
    case .folder(let folder): folder
    case nil: nil
    }
  }

  func sync() {
    for change in pending { synced[change.name] = change.item }
    pending.removeAll(keepingCapacity: true)
  }

  /// Fails to write the names, reports that once, and considers them written from then on: some
  /// have reached the disk, and the others never do unless they are changed again.
  func failToSync(seed: UInt64) {
    guard !pending.isEmpty else { return }
    let moments = CrashMoments(seed: seed, changes: pending.count)
    for (place, change) in pending.enumerated()
    where place < moments.changes(shownBy: SimulationRandom.mixed(0, change.name)) {
      synced[change.name] = change.item
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Applies a power cut: each name shows one of the states that it had.
  func cut(_ number: UInt64, seed: UInt64) {
    failToSync(seed: seed)
    items = synced
    for name in names {
      let itemSeed = SimulationRandom.mixed(seed, name)
      switch items[name] {
      case .file(let file): file.cut(number, seed: itemSeed)
      case .folder(let folder): folder.cut(number, seed: itemSeed)
      case nil: break
      }
    }
  }

  /// Copies all synced and unsynced names. `files` maps files that were copied already.
  func copy(_ files: inout [ObjectIdentifier: SimulatedFile]) -> SimulatedFolder {
    var folders: [ObjectIdentifier: SimulatedFolder] = [:]
    let copy = SimulatedFolder()
    copy.items = items.mapValues { Self.copy($0, &files, &folders) }
    copy.synced = synced.mapValues { Self.copy($0, &files, &folders) }
    copy.pending = pending.map { change in
      (change.name, change.item.map { Self.copy($0, &files, &folders) })
    }
    return copy
  }

  private static func copy(
    _ item: Item, _ files: inout [ObjectIdentifier: SimulatedFile],
    _ folders: inout [ObjectIdentifier: SimulatedFolder]
  ) -> Item {
    switch item {
    case .file(let file):
      let copy = files[ObjectIdentifier(file)] ?? SimulatedFile(copyOf: file)
      files[ObjectIdentifier(file)] = copy
      return .file(copy)
    case .folder(let folder):
      let copy = folders[ObjectIdentifier(folder)] ?? folder.copy(&files)
      folders[ObjectIdentifier(folder)] = copy
      return .folder(copy)
    }
  }
}
