#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

enum URLReference {
  /// Resolves a reference against an absolute URL; nil if it is none. An empty one is the URL
  /// itself.
  static func resolve(_ reference: String, against url: String) -> String? {
    if reference.isEmpty { return url }
    guard let base = URL(string: url), let target = URL(string: reference, relativeTo: base) else {
      return nil
    }
    return RequestHead.normalised(target.absoluteString)
  }
}
