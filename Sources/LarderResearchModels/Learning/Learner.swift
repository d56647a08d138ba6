import LarderEngine

/// The examples and the model of a learned policy, and the objects that it predicts together.
struct Learner: ~Copyable {
  private(set) var model: BoostedTrees?
  /// True if the ratio of objects is optimised, so that predictions are multiplied by the size.
  let weighsSize: Bool
  private(set) var candidates = 0
  private let features: Int
  private let batch: Int
  private let boosting: GradientBoosting
  private let failure: Locked<BoostingError?>?
  private let parameters: GradientBoosting.Parameters
  private var examples: TrainingRows
  private var ids: Column<ObjectID>
  private var rows: Column<Float>
  private var scores: Column<Double>

  init(
    _ setup: PolicySetup, features: Int, batch defaultBatch: Int, trees: Int, candidates: Int,
    objectsMax: Int
  ) throws(PolicyError) {
    let spec = setup.spec
    let batch = try spec.integer("batch", default: defaultBatch, in: 2...1 << 20)
    let objective = try spec.choice("objective", "bytes", "objects")
    guard setup.objects <= objectsMax else {
      throw .capacity(
        policy: spec.name, capacity: setup.capacity,
        expected: "at most \(objectsMax) distinct objects")
    }
    boosting = try GradientBoosting.current(for: spec)
    failure = GradientBoosting.failure
    parameters = GradientBoosting.Parameters(trees: trees, seed: setup.seed)
    weighsSize = objective == "objects"
    self.features = features
    self.batch = batch
    examples = TrainingRows(features: features, capacity: batch)
    ids = Column(objects: candidates)
    rows = Column(objects: candidates * features)
    scores = Column(objects: candidates)
  }

  func exampleRow() -> UnsafeMutablePointer<Float> { clearedRow(0) }

  mutating func addExample(distance: UInt64) {
    examples.append(
      UnsafeBufferPointer(start: row(0), count: features),
      label: Float(DeterministicMath.log(Double(distance) + 1)))
  }

  var isBatchComplete: Bool { examples.count >= batch }

  mutating func train() {
    do throws(BoostingError) {
      model = try boosting.train(examples, parameters)
    } catch {
      failure?.withLock { $0 = $0 ?? error }
    }
    examples.removeAll()
  }

  mutating func removeCandidates() { candidates = 0 }

  mutating func addCandidate(_ id: ObjectID) -> UnsafeMutablePointer<Float> {
    let place = candidates
    candidates += 1
    if candidates > ids.objects {
      ids.reserve(objects: place * 2)
      rows.reserve(objects: place * 2 * features)
      scores.reserve(objects: place * 2)
    }
    ids[ObjectID(place)] = id
    return clearedRow(place)
  }

  func id(_ place: Int) -> ObjectID { ids[ObjectID(place)] }
  func score(_ place: Int) -> Double { scores[ObjectID(place)] }

  mutating func predict() {
    assert(model?.features ?? 0 <= features)
    model?.predict(
      UnsafePointer(row(0)), stride: features, count: candidates,
      into: scores.row(from: 0, count: candidates))
  }

  private func row(_ place: Int) -> UnsafeMutablePointer<Float> {
    rows.row(from: ObjectID(place * features), count: features)
  }

  private func clearedRow(_ place: Int) -> UnsafeMutablePointer<Float> {
    let row = row(place)
    row.update(repeating: 0, count: features)
    return row
  }

  var bytes: Int { examples.bytes + ids.bytes + rows.bytes + scores.bytes + parameters.modelBytes }
}
extension GradientBoosting {
  static func current(for spec: PolicySpec) throws(PolicyError) -> GradientBoosting {
    do throws(BoostingError) {
      return try current()
    } catch {
      guard case .unavailable(let need) = error else {
        throw .missingNeed(policy: spec.name, need: "\(error)")
      }
      throw .missingLibrary(policy: spec.name, need: need)
    }
  }
}
