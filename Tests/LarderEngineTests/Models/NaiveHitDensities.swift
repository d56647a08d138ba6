/// LHD's model, section 4 of the paper (Beckmann, Chen, Cidon, NSDI 2018), with the constants of
/// the authors' program: events by class and age, and the densities that follow.
struct NaiveHitDensities {
  static let ages = 20_000
  static let classes = 16
  var hits = [[Float]](repeating: [Float](repeating: 0, count: ages), count: classes)
  var evictions = [[Float]](repeating: [Float](repeating: 0, count: ages), count: classes)
  var densities: [[Float]]?
  var coarsening = 10
  var reconfigurations = 0
  var meanObjects: Float = 0
  var meanMass: Float = 0

  static func group(agesSum: Int) -> Int {
    var (group, sum) = (0, agesSum)
    while group < classes - 1, sum < ages { (group, sum) = (group + 1, sum * 2) }
    return group
  }

  func density(_ group: Int, age: Int) -> Float {
    densities?[group][age] ?? Float(Self.classes + group + 1) / Float(age + 1)
  }

  mutating func reconfigure(objects: Int) {
    for group in 0..<Self.classes {
      hits[group] = hits[group].map { $0 * 0.9 }
      evictions[group] = evictions[group].map { $0 * 0.9 }
    }
    adaptCoarsening(objects: objects)
    densities = (0..<Self.classes).map { modelled(hits[$0], evictions[$0]) }
    reconfigurations += 1
  }

  private func modelled(_ hits: [Float], _ evictions: [Float]) -> [Float] {
    var densities = [Float](repeating: 0, count: Self.ages)
    var later = hits[Self.ages - 1]
    var events = hits[Self.ages - 1] + evictions[Self.ages - 1]
    var time = events
    for age in (0..<Self.ages - 1).reversed() {
      later += hits[age]
      events += hits[age] + evictions[age]
      time += events
      if events > 1e-5 { densities[age] = later / time }
    }
    return densities
  }

  private mutating func adaptCoarsening(objects: Int) {
    meanObjects = meanObjects * 0.9 + Float(objects)
    meanMass = meanMass * 0.9 + 1
    guard [5, 25].contains(reconfigurations) else { return }
    let wanted = meanObjects / meanMass / (0.01 * Float(Self.ages))
    let next = (1...31).first { $0 == 31 || Float(1 << $0) >= wanted } ?? 31
    meanObjects *= 8
    meanMass *= 8
    for group in 0..<Self.classes {
      hits[group] = rescaled(hits[group], by: next - coarsening)
      evictions[group] = rescaled(evictions[group], by: next - coarsening)
    }
    coarsening = next
  }

  private func rescaled(_ counts: [Float], by shift: Int) -> [Float] {
    let last = Self.ages - 1
    var scaled = counts
    if shift < 0 {
      let parts = 1 << -shift
      for age in (Self.ages / parts)..<last { scaled[last] += counts[age] }
      for age in 0..<last { scaled[age] = counts[age / parts] / Float(parts) }
    } else if shift > 0 {
      for age in 0..<last {
        let ages = (age << shift)..<((age + 1) << shift)
        scaled[age] = ages.reduce(0) { $1 < last ? $0 + counts[$1] : $0 }
      }
    }
    return scaled
  }
}
