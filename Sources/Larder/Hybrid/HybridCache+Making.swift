#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension HybridCache {
  /// A cache in a folder, which is made where there is none; one cache at a time has it open.
  ///
  /// - Parameters:
  ///   - path: the folder; nil only for a configuration without disk.
  ///   - codec: how values become bytes and back.
  /// - Throws: `configuration`, `memory`, or `disk`, also when the folder holds values of another
  ///   codec.
  public convenience init(
    path: String? = nil, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    codec: DiskCodec<Value>
  ) throws(HybridCacheError) {
    try self.init(path: path, configuration: configuration, codec: codec, files: SystemFiles())
  }

  /// A cache in the folder of a file URL; see the initialiser with a path.
  ///
  /// - Throws: as that initialiser; `configuration` for a URL that is not a file's.
  public convenience init(
    path url: URL, configuration: HybridCacheConfiguration = HybridCacheConfiguration(),
    codec: DiskCodec<Value>
  ) throws(HybridCacheError) {
    guard url.isFileURL else {
      throw .configuration(message: "\(url.absoluteString) is not a file URL")
    }
    try self.init(path: url.absoluteString, configuration: configuration, codec: codec)
  }

  /// The same, over another file layer.
  package convenience init(
    path: String?, configuration: HybridCacheConfiguration, codec: DiskCodec<Value>,
    files: any FileLayer
  ) throws(HybridCacheError) {
    // Before anything is done on disk.
    try configuration.check()
    var disk: DiskCache?
    if let tier = configuration.disk {
      guard let path else {
        throw .configuration(message: "a cache with a disk tier needs the path of a folder")
      }
      do throws(DiskCacheError) {
        disk = try DiskCache(
          path: path, configuration: tier, clock: configuration.clock, files: files)
      } catch {
        throw .disk(error)
      }
    }
    try self.init(configuration, disk: disk, ownsDisk: true, codec: codec)
  }

  /// A cache in front of a disk cache that others use, too. Each needs a `suite` of its own, and
  /// has it until it is closed or destroyed. Clock and limits of disk are that cache's. It is not
  /// closed with this one.
  ///
  /// - Throws: `configuration`, `memory`, `suiteInUse`, or `disk` when the suite holds values of
  ///   another codec.
  public convenience init(
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), disk: DiskCache,
    codec: DiskCodec<Value>
  ) throws(HybridCacheError) {
    var configuration = configuration
    configuration.disk = disk.withLock { $0.configuration }
    try self.init(configuration, disk: disk, ownsDisk: false, codec: codec)
  }
}

extension HybridCache where Value: Codable {
  /// A cache in a folder, of values that are stored with `DiskCodec.standard`: `Data` as it is,
  /// `String` as UTF-8, others as JSON. See the initialiser with a codec.
  ///
  /// - Throws: `configuration`, `memory` or `disk`.
  public convenience init(
    path: String? = nil, configuration: HybridCacheConfiguration = HybridCacheConfiguration()
  ) throws(HybridCacheError) {
    try self.init(path: path, configuration: configuration, codec: .standard)
  }

  /// A cache in the folder of a file URL, of values that are stored with `DiskCodec.standard`.
  ///
  /// - Throws: as the initialiser with a codec.
  public convenience init(
    path url: URL, configuration: HybridCacheConfiguration = HybridCacheConfiguration()
  ) throws(HybridCacheError) {
    try self.init(path: url, configuration: configuration, codec: .standard)
  }

  /// A cache in front of a disk cache that others use, too, of values that are stored with
  /// `DiskCodec.standard`.
  ///
  /// - Throws: as the initialiser with a codec.
  public convenience init(
    configuration: HybridCacheConfiguration = HybridCacheConfiguration(), disk: DiskCache
  ) throws(HybridCacheError) {
    try self.init(configuration: configuration, disk: disk, codec: .standard)
  }
}
