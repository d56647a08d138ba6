/// Objects that are alike to AdaptSize's model: those whose rates agree in the exponent and two
/// bits, and whose sizes agree in the exponent and three.
///
/// That is some hundred groups for any number of objects. A group has the mean rate and size of its
/// objects, so its sums are theirs; values within 12 and 6 % of a mean change the rest of the model
/// by the square of that.
struct AdaptSizeGroups {
  /// Objects that are alike.
  struct Group {
    /// How many there are.
    var objects = 0.0
    /// Requests in an interval.
    var rate = 0.0
    /// Bytes.
    var size = 0.0
  }

  private static let rates = 128
  private static let sizes = 272

  // The place of each group plus one, by the bits that its objects share; 0 for none.
  private var places = [UInt16](repeating: 0, count: rates * sizes)
  private var sums: [Group] = []

  /// Adds an object. O(1).
  mutating func add(rate: Float, size: UInt32) {
    let first = Self.leading(rate, bits: 2, from: 0x1p-4, count: Self.rates)
    let second = Self.leading(Float(size), bits: 3, from: 1, count: Self.sizes)
    let key = first * Self.sizes + second
    if places[key] == 0 {
      sums.append(Group())
      places[key] = UInt16(sums.count)
    }
    let place = Int(places[key]) - 1
    sums[place].objects += 1
    sums[place].rate += Double(rate)
    sums[place].size += Double(size)
  }

  /// Each group with the mean of its rates and sizes. O(groups).
  var means: [Group] {
    sums.map {
      Group(objects: $0.objects, rate: $0.rate / $0.objects, size: $0.size / $0.objects)
    }
  }

  /// The exponent and the first bits of a number that is not negative, as a number from 0 to below
  /// `count`: 0 for `first` and all below.
  private static func leading(_ value: Float, bits: UInt32, from first: Float, count: Int) -> Int {
    let above = Int(value.bitPattern >> (23 - bits)) - Int(first.bitPattern >> (23 - bits))
    return min(max(above, 0), count - 1)
  }
}
