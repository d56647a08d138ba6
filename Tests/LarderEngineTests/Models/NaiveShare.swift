/// A share in decimals: a number of parts of a power of ten.
struct NaiveShare {
  let parts: Int
  let whole: Int

  init(_ text: String) {
    let pieces = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let decimals = pieces.count > 1 ? pieces[1] : ""
    parts = Int(pieces[0] + decimals) ?? 0
    whole = decimals.reduce(1) { scale, _ in scale * 10 }
  }

  func of(_ number: Int) -> Int { number * parts / whole }

  func isReached(by number: Int, of other: Int) -> Bool { number * whole >= other * parts }
}
