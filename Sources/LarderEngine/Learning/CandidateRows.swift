/// Objects that a model is asked about together, with their features and its predictions.
struct CandidateRows: ~Copyable {
  /// Features in a row.
  let features: Int
  private var ids: Column<ObjectID>
  private var rows: Column<Float>
  private var scores: Column<Double>

  /// Room for `capacity` objects.
  init(features: Int, capacity: Int) {
    self.features = features
    ids = Column(objects: max(capacity, 1))
    rows = Column(objects: max(capacity, 1) * features)
    scores = Column(objects: max(capacity, 1))
  }

  /// Objects that there is room for.
  var capacity: Int { ids.objects }

  /// Makes room for `capacity` objects; rows stay.
  mutating func reserve(capacity: Int) {
    guard capacity > ids.objects else { return }
    ids.reserve(objects: capacity)
    rows.reserve(objects: capacity * features)
    scores.reserve(objects: capacity)
  }

  /// Puts an object in a place, with features of 0.
  mutating func set(_ place: Int, _ id: ObjectID) {
    ids[ObjectID(place)] = id
    clear(place)
  }

  /// Sets all features in a place to 0.
  mutating func clear(_ place: Int) { row(place).update(repeating: 0, count: features) }

  /// The object in a place.
  func id(_ place: Int) -> ObjectID { ids[ObjectID(place)] }

  /// The features of the object in a place; valid until `reserve`.
  func row(_ place: Int) -> UnsafeMutablePointer<Float> {
    rows.row(from: ObjectID(place * features), count: features)
  }

  /// Asks the model about the first `count` objects.
  mutating func predict(with model: borrowing BoostedTrees, count: Int) {
    assert(model.features <= features)
    model.predict(
      UnsafePointer(row(0)), stride: features, count: count,
      into: scores.row(from: 0, count: count))
  }

  /// What the model predicted for the object in a place.
  func score(_ place: Int) -> Double { scores[ObjectID(place)] }

  /// Memory held, in bytes.
  var bytes: Int { ids.bytes + rows.bytes + scores.bytes }
}
