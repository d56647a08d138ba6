/// LHD's model: how likely hits and evictions are at each age, learned from those that happened,
/// and what follows for the hits that an object will bring for each unit of time it stays.
///
/// Objects fall into classes by the ages at their last two requests; ages are coarse: requests are
/// counted in steps of a power of two that follows from the number of objects. Memory: 3.8 MB,
/// whatever the cache's size.
struct HitDensities: ~Copyable {
  /// Ages are below this; the last one stands for everything older.
  static var ages: UInt32 { 20_000 }

  private static var classes: UInt32 { 16 }
  // The part of what was counted that survives a reconfiguration.
  private static var decay: Float { 0.9 }
  // Ages are to be no coarser than this part of the time for which an object stays.
  private static var coarseningError: Float { 0.01 }

  // One row of ages for each class.
  private var hits: Column<Float>
  private var evictions: Column<Float>
  private var densities: Column<Float>
  private var meanObjects: Float = 0
  private var meanObjectsMass: Float = 0
  /// Requests are counted in steps of 2 to this.
  private(set) var coarsening: UInt32 = 10
  /// How often the model was made anew.
  private(set) var reconfigurations = 0

  /// Nothing learned.
  init() {
    let cells = Int(HitDensities.classes * HitDensities.ages)
    hits = Column(objects: cells)
    evictions = Column(objects: cells)
    densities = Column(objects: cells)
  }

  /// The class of an object whose ages at its last two requests have this sum: 15 for 0, one less
  /// each time the sum doubles, 0 from the largest age on.
  @inline(__always)
  static func group(agesSum: UInt32) -> UInt32 {
    guard agesSum > 0 else { return classes - 1 }
    guard agesSum < ages else { return 0 }
    let doublings = UInt32(agesSum.leadingZeroBitCount - ages.leadingZeroBitCount)
    return min(classes - 1, agesSum << doublings < ages ? doublings + 1 : doublings)
  }

  /// What an object of a class and age is worth: the hits it will bring for each unit of time.
  ///
  /// Until something was learned, younger objects are worth more, and those requested at short
  /// intervals up to twice as much. (The authors number applications and classes together; theirs
  /// is number 1.)
  @inline(__always)
  func density(_ group: UInt32, age: UInt32) -> Float {
    guard reconfigurations > 0 else {
      return Float(HitDensities.classes + group + 1) / Float(age + 1)
    }
    return densities[HitDensities.cell(group, age)]
  }

  /// Learns of a request for an object.
  @inline(__always)
  mutating func countHit(_ group: UInt32, age: UInt32) { hits[HitDensities.cell(group, age)] += 1 }

  /// Learns of an eviction.
  @inline(__always)
  mutating func countEviction(_ group: UInt32, age: UInt32) {
    evictions[HitDensities.cell(group, age)] += 1
  }

  /// Makes the model anew from what was counted, of which older parts fade. O(classes * ages), a
  /// millisecond.
  @inline(never)
  mutating func reconfigure(objects: Int) {
    for cell in 0..<HitDensities.classes * HitDensities.ages {
      hits[cell] *= HitDensities.decay
      evictions[cell] *= HitDensities.decay
    }
    adaptCoarsening(objects: objects)
    for group in 0..<HitDensities.classes { model(group) }
    reconfigurations += 1
  }

  /// Brings the density near.
  @inline(__always)
  func prefetch(_ group: UInt32, age: UInt32) { densities.prefetch(HitDensities.cell(group, age)) }

  /// Memory held, in bytes.
  var bytes: Int { hits.bytes + evictions.bytes + densities.bytes }

  @inline(__always)
  private static func cell(_ group: UInt32, _ age: UInt32) -> UInt32 { group * ages + age }

  /// Hits at this age and later, divided by the time that objects of this age go on to stay.
  private mutating func model(_ group: UInt32) {
    let last = HitDensities.cell(group, HitDensities.ages - 1)
    var laterHits = hits[last]
    var laterEvents = hits[last] + evictions[last]
    var timeToCome = laterEvents
    for age in stride(from: Int(HitDensities.ages) - 2, through: 0, by: -1) {
      let cell = HitDensities.cell(group, UInt32(age))
      laterHits += hits[cell]
      laterEvents += hits[cell] + evictions[cell]
      timeToCome += laterEvents
      densities[cell] = laterEvents > 1e-5 ? laterHits / timeToCome : 0
    }
  }

  /// The authors choose the coarsening twice, soon after the start and once the mean is steady.
  private mutating func adaptCoarsening(objects: Int) {
    meanObjects = meanObjects * HitDensities.decay + Float(objects)
    meanObjectsMass = meanObjectsMass * HitDensities.decay + 1
    guard reconfigurations == 5 || reconfigurations == 25 else { return }
    let mean = meanObjects / meanObjectsMass
    let best = mean / (HitDensities.coarseningError * Float(HitDensities.ages))
    var shift: UInt32 = 1
    while shift < 31, Float(UInt32(1) << shift) < best { shift += 1 }
    let old = coarsening
    coarsening = shift
    meanObjects *= 8
    meanObjectsMass *= 8
    for group in 0..<HitDensities.classes {
      if shift < old {
        HitDensities.stretch(hits, group, by: old - shift)
        HitDensities.stretch(evictions, group, by: old - shift)
      } else if shift > old {
        HitDensities.compress(hits, group, by: shift - old)
        HitDensities.compress(evictions, group, by: shift - old)
      }
    }
  }

  /// Spreads what was counted at each age over 2 to `shift` ages; what is then too old is added up.
  private static func stretch(
    _ counts: borrowing Column<Float>, _ group: UInt32, by shift: UInt32
  ) {
    let last = cell(group, ages - 1)
    for age in (ages >> shift)..<(ages - 1) { counts[last] += counts[cell(group, age)] }
    for age in stride(from: Int(ages) - 2, through: 0, by: -1) {
      let share = counts[cell(group, UInt32(age) >> shift)] / Float(UInt32(1) << shift)
      counts[cell(group, UInt32(age))] = share
    }
  }

  /// Adds up what was counted at each 2 to `shift` ages.
  private static func compress(
    _ counts: borrowing Column<Float>, _ group: UInt32, by shift: UInt32
  ) {
    for age in 0..<(ages - 1) {
      let from = UInt64(age) << shift
      var sum: Float = 0
      for place in from..<from + 1 << shift where place < UInt64(ages - 1) {
        sum += counts[cell(group, UInt32(truncatingIfNeeded: place))]
      }
      counts[cell(group, age)] = sum
    }
  }
}
