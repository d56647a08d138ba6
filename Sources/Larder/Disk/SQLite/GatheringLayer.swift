import CLarderFiles

/// The file layer of one connection whose database has a journal and no log, and is never synced:
/// it writes together what follows on in a file. See CLarderFiles.h for the order that it keeps.
final class GatheringLayer {
  private let layer: OpaquePointer

  /// A layer above another; nil where there is no memory for it.
  ///
  /// - Parameter below: the name of the other, nil for SQLite's own.
  init?(above below: String?) {
    guard let layer = larder_gathering_make(below) else { return nil }
    self.layer = layer
  }

  deinit { larder_gathering_free(layer) }

  /// What SQLite knows it by.
  var name: String { String(cString: larder_gathering_name(layer)) }
}
