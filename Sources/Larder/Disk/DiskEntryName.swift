/// Which entry of a disk cache something happened to.
public struct DiskEntryName: Sendable, Hashable {
  /// The suite's name.
  public var suite: String
  /// The key, in Unicode's normal form C.
  public var key: String

  /// A name; see the properties.
  public init(suite: String = "", key: String) {
    self.suite = suite
    self.key = key
  }
}
