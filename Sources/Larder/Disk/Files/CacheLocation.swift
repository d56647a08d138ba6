#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The location of a cache's folder: a path, or a file URL, or the string of one.
public protocol CacheLocation: Sendable {
  var cacheLocation: String { get }
}

extension String: CacheLocation {
  /// The string itself.
  public var cacheLocation: String { self }
}

extension URL: CacheLocation {
  /// The whole URL; only one of a file is a location.
  public var cacheLocation: String { absoluteString }
}

package enum CachesFolder {
  package static func path(name: String) throws(DiskCacheError) -> String {
    guard isName(name) else {
      throw .files(
        message: "\(name.debugDescription) is not the name of a folder; expected one without '/'")
    }
    return try "\(system())/\(program)/\(name)"
  }

  private static func isName(_ name: String) -> Bool {
    !["", ".", ".."].contains(name) && name.utf8.count <= 255
      && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
  }

  private static var program: String {
    #if canImport(Darwin)
      if let name = Bundle.main.bundleIdentifier, isName(name) { return name }
    #endif
    let name = ProcessInfo.processInfo.processName
    return isName(name) ? name : "larder"
  }

  private static func system() throws(DiskCacheError) -> String {
    #if canImport(Darwin)
      let folders = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
      guard let folder = folders.first else {
        throw .files(message: "the system has no folder for caches; pass the path of a folder")
      }
      return folder.path(percentEncoded: false).trimmingSuffix("/")
    #else
      return try system(
        ProcessInfo.processInfo.environment, home: URL.homeDirectory.path(percentEncoded: false))
    #endif
  }

  package static func system(
    _ environment: [String: String], home: String
  ) throws(DiskCacheError) -> String {
    if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") {
      return folder.trimmingSuffix("/")
    }
    guard home.hasPrefix("/") else {
      throw .files(
        message: "neither XDG_CACHE_HOME nor HOME is an absolute path; pass the path of a folder")
    }
    return home.trimmingSuffix("/") + "/.cache"
  }
}

extension String {
  fileprivate func trimmingSuffix(_ character: Character) -> String {
    var text = self[...]
    while text.last == character { text.removeLast() }
    return String(text)
  }
}
