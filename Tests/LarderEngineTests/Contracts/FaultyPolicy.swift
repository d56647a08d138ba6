import LarderEngine
import Synchronization

/// Faults that a policy may have.
enum PolicyFault: Sendable {
  case none
  case evictsWhatIsNotThere
  case keepsWhatItEvicts
  case forgetsToRemove
  case remembersTheRemoved
  case remembersEverything
  case deniesItsGhosts
  case growsState
  case countsTheRemoved
  case sharesState
  case usesTheSeed
  case forgetsMarks
  case forgetsWhenItGrows
  case namesAnotherVictim
  case overflowsUnsaid
  case insertsInAdmit
  case listensToHints
  case refusesLargeCapacities
}

/// Selects the fault of a `FaultyPolicy`.
protocol PlantedFault: SendableMetatype {
  static var fault: PolicyFault { get }
}

/// FIFO with a second chance for requested objects, written without regard for speed, with one
/// planted fault.
struct FaultyPolicy<Planted: PlantedFault>: EvictionPolicy, ~Copyable {
  static var description: PolicyDescription {
    PolicyDescription(
      name: "faulty", family: .queue,
      traits: Planted.fault == .namesAnotherVictim ? .namesVictim : [],
      summary: "Second chance, with a fault.", paper: "a test")
  }

  /// State that hints change; hints do not mutate the policy.
  private final class Notes: Sendable {
    let hints = Atomic<Int>(0)
  }

  private static var queued: UInt32 { 1 << 31 }

  private var queue: [ObjectID] = []
  private var ghosts: Set<ObjectID> = []
  private var words: SharedColumn
  private var history: [ObjectID] = []
  private var removals = 0
  private let seed: UInt64
  private let notes = Notes()

  init(_ setup: PolicySetup) throws(PolicyError) {
    if Planted.fault == .refusesLargeCapacities, setup.capacity > 1 << 40 {
      throw .capacity(
        policy: setup.spec.name, capacity: setup.capacity, expected: "less than that")
    }
    words = SharedColumn(objects: setup.objects)
    seed = setup.seed
  }

  func contains(_ id: ObjectID) -> Bool { words[id] != 0 }

  func remembers(_ id: ObjectID) -> Bool { contains(id) || ghosts.contains(id) }

  mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    if Planted.fault == .growsState { history.append(request.id) }
    words[request.id] |= 1
  }

  var hitWords: HitWords? {
    HitWords(
      words.base, objects: words.objects, residents: Self.queued ... .max,
      counter: Planted.fault == .forgetsMarks ? 0 : 1, highest: 1, step: 1)
  }

  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool {
    if Planted.fault == .insertsInAdmit { words[request.id] = Self.queued }
    return true
  }

  var overflows: Bool { Planted.fault == .overflowsUnsaid && queue.count > 3 }

  var victim: ObjectID { queue.last ?? .none }

  private mutating func skipped() -> Int {
    switch Planted.fault {
    case .countsTheRemoved: removals
    case .sharesState: SharedState.calls.wrappingAdd(1, ordering: .relaxed).newValue
    case .usesTheSeed: Int(seed % 3)
    case .listensToHints: notes.hints.load(ordering: .relaxed)
    default: 0
    }
  }

  mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    if Planted.fault == .evictsWhatIsNotThere { return request.id }
    let skipped = skipped() % queue.count
    queue = Array(queue[skipped...] + queue[..<skipped])
    while words[queue[0]] & 1 != 0 {
      words[queue[0]] = Self.queued
      queue.append(queue.removeFirst())
    }
    if Planted.fault == .keepsWhatItEvicts { return queue[0] }
    let id = queue.removeFirst()
    words[id] = 0
    if Planted.fault == .remembersEverything { ghosts.insert(id) }
    if Planted.fault == .deniesItsGhosts { keepGhost(id) }
    return id
  }

  private mutating func keepGhost(_ id: ObjectID) {
    ghosts.insert(id)
    history.append(id)
    if history.count > 40 { ghosts.remove(history.removeFirst()) }
  }

  mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    ghosts.remove(request.id)
    queue.append(request.id)
    words[request.id] = Self.queued
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if Planted.fault == .forgetsToRemove { return }
    if Planted.fault == .countsTheRemoved { removals += 1 }
    ghosts.remove(id)
    if Planted.fault == .remembersTheRemoved, contains(id) { ghosts.insert(id) }
    queue.removeAll { $0 == id }
    words[id] = 0
  }

  mutating func reserve(objects: Int) {
    words.reserve(objects: objects)
    if Planted.fault == .forgetsWhenItGrows { queue.reverse() }
  }

  func prefetch(_ id: ObjectID) { notes.hints.add(1, ordering: .relaxed) }

  var stateBytes: Int {
    words.bytes + (queue.count + history.count) * MemoryLayout<ObjectID>.stride
  }
}

/// State shared by all instances, which no policy should have.
private enum SharedState {
  static let calls = Atomic<Int>(0)
}
