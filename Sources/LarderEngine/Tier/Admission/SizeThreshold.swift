/// Admits objects up to a size.
final class SizeThreshold: AdmissionFilter {
  static let description = AdmissionDescription(
    name: "size",
    summary: "Stores objects up to a size, in units of the capacity or as a share of it.",
    parameters: [
      PolicyParameter(
        "max", default: "0.01", searched: ["0.01", "0.05", "0.2"],
        "largest size; below 1 a share of the capacity")
    ],
    comparesSizes: true,
    paper: "Abrams, Standridge, Abdulla, Williams and Fox, Caching proxies: limitations and "
      + "potentials, WWW 1995 (LRU-Threshold)")

  private let largest: UInt64

  init(_ setup: AdmissionSetup) throws(PolicyError) {
    let given = try setup.spec.number("max", default: 0.01, in: 0...1e15)
    largest = UInt64(given < 1 ? given * Double(setup.capacity) * Double(setup.parts) : given)
  }

  func admits(_ request: Request, victim: UInt32?) -> Bool { UInt64(request.size) <= largest }
}
