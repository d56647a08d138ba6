import Larder

extension FuzzTarget {
  /// A `Cache-Control` header. A response is either not stored or stored for a valid time, which an
  /// additional restrictive directive never extends.
  static let cacheControl = FuzzTarget("cache-control", lengthMax: 512) { input in
    let header = String(decoding: input, as: UTF8.self)
    guard let age = try freshness(header) else { return }
    let shorter = try freshness("\(header), max-age=5")
    try require(
      shorter == min(age ?? .seconds(5), .seconds(5)), "\(header.debugDescription): \(age as Any)")
    try require(try freshness("\(header),no-store") == nil, "\(header.debugDescription) is stored")
  }

  /// The freshness lifetime; nil if unspecified. The outer nil means that the response is not
  /// stored.
  private static func freshness(_ header: String) throws -> Duration?? {
    switch OriginAnswer.value(1, cacheControl: header) {
    case .unstored: return nil
    case .value(_, _, let maxAge, _, _), .mustRevalidate(_, _, let maxAge, _, _):
      if let maxAge {
        try require(
          maxAge >= .zero && maxAge <= .seconds(Int64(1) << 31),
          "\(header.debugDescription): \(maxAge)")
      }
      return .some(maxAge)
    default: throw FuzzFinding("\(header.debugDescription) is no value")
    }
  }
}
