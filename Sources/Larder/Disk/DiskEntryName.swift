/// Which entry of a disk cache something happened to.
public struct DiskEntryName: Sendable, Hashable {
  /// The suite's name.
  public var suite: String
  /// The key, byte for byte as it was given. Mind that `==` of Swift's texts does not tell two
  /// spellings of an accented letter apart, and the cache does.
  public var key: String

  /// A name; see the properties.
  public init(suite: String = "", key: String) {
    self.suite = suite
    self.key = key
  }
}
