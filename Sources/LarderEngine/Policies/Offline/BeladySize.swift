/// Belady's rule for objects of different sizes: a good offline policy, not a bound.
///
/// The rule is libCacheSim's BeladySize. libCacheSim applies it to a sample of the objects; here
/// the largest product of all objects is found exactly.
struct BeladySize: EvictionPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "belady-size", family: .offline,
    summary: "Evicts the object with the largest product of size and time to its next request. For "
      + "equal sizes this is belady; otherwise it is close to the optimum, but not always "
      + "equal. O(log n), more for an eviction.",
    needs: [.size, .nextUse],
    paper: "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems "
      + "Journal 1966; with sizes as BeladySize in libCacheSim (Yang and others)")

  private var residents: KineticTournament
  private var now: UInt32 = 0

  init(_ setup: PolicySetup) {
    residents = KineticTournament(objects: setup.objects, capacity: setup.expectedResidents)
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { residents.contains(id) }

  @inline(__always) mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    advance(to: request)
    residents.update(request.id, nextUse: request.nextUse, now: now)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    advance(to: request)
    residents.update(request.id, nextUse: request.nextUse, size: request.size, now: now)
  }

  mutating func notice(_ notice: PolicyNotice) {
    if case .nextUse(let request) = notice { hit(request, UnitSizes()) }
  }

  @inline(__always) mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID
  {
    advance(to: request)
    return residents.popLargest(now: now)
  }

  @inline(__always) mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    advance(to: request)
    residents.insert(request.id, nextUse: request.nextUse, size: request.size, now: now)
  }

  mutating func remove(_ id: ObjectID, _ sizes: some ObjectSizes) {
    if contains(id) { residents.remove(id, now: now) }
  }

  mutating func reserve(objects: Int) { residents.reserve(objects: objects) }

  @inline(__always) func prefetch(_ id: ObjectID) { residents.prefetch(id) }

  @inline(__always) func prefetchNeighbours(_ id: ObjectID) { residents.prefetchPlayer(id) }

  var stateBytes: Int { residents.bytes }

  /// Time never goes back, even for evictions without a request.
  @inline(__always) private mutating func advance(to request: Request) {
    now = max(now, UInt32(truncatingIfNeeded: request.index))
  }
}

/// A tournament that finds the object with the largest product of size and time to its next use.
///
/// The order of these products changes over time, because those of large objects fall faster. Each
/// match keeps its winner and the time until which it and all matches below remain valid; a query
/// replays only expired matches (Basch, Guibas and Hershberger, Data structures for mobile data,
/// SODA 1997). Ties go to the later next use, then to the larger object, then to the lower id;
/// objects that are never used again win over all others, the larger first.
///
/// A change is O(log n) and usually stops after a few matches. A query replays each match that
/// expired since the last query once; the amortised cost depends on the distribution of sizes and
/// times. Memory: 4 bytes an object and 20 for each slot of the tournament.
public struct KineticTournament: ~Copyable {
  @usableFromInline struct Player: BitwiseCopyable {
    @usableFromInline var id: ObjectID
    @usableFromInline var nextUse: UInt32
    @usableFromInline var size: UInt32

    @inlinable @inline(__always) init(id: ObjectID, nextUse: UInt32, size: UInt32) {
      self.id = id
      self.nextUse = nextUse
      self.size = size
    }
  }

  @usableFromInline struct Match: BitwiseCopyable {
    /// Slot of the winner, or 0.
    @usableFromInline var winner: UInt32
    /// The time from which the result may change.
    @usableFromInline var end: UInt32

    @inlinable @inline(__always) init(winner: UInt32, end: UInt32) {
      self.winner = winner
      self.end = end
    }
  }

  @inlinable static var noEnd: UInt32 { .max }

  // Slot of each object, from 1; 0 for an object that is not in the tournament.
  @usableFromInline var places: Column<UInt32>
  @usableFromInline var players: Column<Player>
  // Match n is between the winners of matches 2n and 2n + 1; numbers from `room` on are the
  // players.
  @usableFromInline var matches: Column<Match>
  @usableFromInline var room: UInt32
  @usableFromInline var count: UInt32 = 0

  /// Creates an empty tournament for ids up to `objects`, with room for `capacity` before it grows.
  public init(objects: Int, capacity: Int) {
    precondition(capacity <= 1 << 31, "a tournament has at most 2^31 places")
    room = UInt32(max(capacity, 16))
    places = Column(objects: objects)
    players = Column(objects: Int(room))
    matches = Column(objects: Int(room))
    // Matches without players never expire.
    for match in 1..<room { matches[match] = Match(winner: 0, end: KineticTournament.noEnd) }
  }

  /// Returns true if the object is in the tournament.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { places[id] != 0 }

  /// Adds an object that is not in the tournament. Amortised O(log n).
  @inlinable @inline(__always) public mutating func insert(
    _ id: ObjectID, nextUse: UInt32, size: UInt32, now: UInt32
  ) {
    count += 1
    if count > room { grow(now) }
    places[id] = count
    players[count] = Player(id: id, nextUse: nextUse, size: size)
    replay(above: count, now)
  }

  /// Changes the next use of an object in the tournament and, unless nil, its size. O(log n), O(1)
  /// on average.
  @inlinable @inline(__always) public mutating func update(
    _ id: ObjectID, nextUse: UInt32, size: UInt32? = nil, now: UInt32
  ) {
    let place = places[id]
    players[place].nextUse = nextUse
    if let size { players[place].size = size }
    replay(above: place, now)
  }

  /// Removes and returns the object with the largest product at `now`, which must not be earlier
  /// than any time passed before. The tournament must not be empty.
  @inlinable @inline(__always) public mutating func popLargest(now: UInt32) -> ObjectID {
    assert(count > 0)
    settle(1, now)
    let id = players[winner(of: 1)].id
    remove(id, now: now)
    return id
  }

  /// Removes an object of the tournament. O(log n).
  @inlinable @inline(__always) public mutating func remove(_ id: ObjectID, now: UInt32) {
    assert(contains(id))
    let (place, last) = (places[id], count)
    places[id] = 0
    count -= 1
    if place != last {
      // The last player moves into its slot.
      players[place] = players[last]
      places[players[place].id] = place
    }
    replay(above: last, now)
    if place != last { replay(above: place, now) }
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { places.reserve(objects: objects) }

  /// Prefetches the object's slot number.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { places.prefetch(id) }

  /// Prefetches the object's player and its first match; reads the slot number.
  @inlinable @inline(__always) public func prefetchPlayer(_ id: ObjectID) {
    let place = places[id]
    players.prefetch(place)
    matches.prefetch((room + place) / 2)
  }

  /// Memory held, in bytes.
  public var bytes: Int { places.bytes + players.bytes + matches.bytes }

  @inlinable @inline(__always) func winner(of match: UInt32) -> UInt32 {
    if match < room { return matches[match].winner }
    let place = match - room + 1
    return place <= count ? place : 0
  }

  @inlinable @inline(__always) func end(of match: UInt32) -> UInt32 {
    match < room ? matches[match].end : KineticTournament.noEnd
  }

  /// Replays the matches that a change in a slot can affect, from the lowest up.
  @inlinable @inline(__always) mutating func replay(above place: UInt32, _ now: UInt32) {
    var match = (room + place - 1) / 2
    while match > 0 {
      let old = matches[match]
      let new = play(match, now)
      // Matches above have the same players with the same values.
      if new.winner == old.winner, new.end == old.end, new.winner != place { return }
      matches[match] = new
      match /= 2
    }
  }

  /// Replays the matches that have expired at `now`.
  @usableFromInline mutating func settle(_ match: UInt32, _ now: UInt32) {
    guard end(of: match) <= now else { return }
    settle(match * 2, now)
    settle(match * 2 + 1, now)
    matches[match] = play(match, now)
  }

  @inlinable @inline(__always) func play(_ match: UInt32, _ now: UInt32) -> Match {
    let (left, right) = (winner(of: match * 2), winner(of: match * 2 + 1))
    let end = min(end(of: match * 2), end(of: match * 2 + 1))
    if left == 0 || right == 0 { return Match(winner: max(left, right), end: end) }
    let (a, b) = (players[left], players[right])
    let (valueA, valueB) = (value(a, now), value(b, now))
    if beats(a, valueA, b, valueB) {
      return Match(winner: left, end: min(end, overtaking(of: a, valueA, by: b, valueB, now)))
    }
    return Match(winner: right, end: min(end, overtaking(of: b, valueB, by: a, valueA, now)))
  }

  /// Below 2^64: both factors are below 2^32.
  @inlinable @inline(__always) func value(_ player: Player, _ now: UInt32) -> UInt64 {
    if player.nextUse == Request.never { return .max }
    return UInt64(player.size) &* UInt64(max(player.nextUse, now) - now)
  }

  @inlinable @inline(__always) func beats(
    _ a: Player, _ valueA: UInt64, _ b: Player, _ valueB: UInt64
  ) -> Bool {
    if valueA != valueB { return valueA > valueB }
    if a.nextUse != b.nextUse { return a.nextUse > b.nextUse }
    return a.size != b.size ? a.size > b.size : a.id < b.id
  }

  /// The time at which the loser of a match would win it.
  @inlinable @inline(__always) func overtaking(
    of winner: Player, _ winnerValue: UInt64, by loser: Player, _ loserValue: UInt64, _ now: UInt32
  ) -> UInt32 {
    guard winner.size > loser.size, winner.nextUse != Request.never, winnerValue > loserValue
    else { return KineticTournament.noEnd }
    let rate = UInt64(winner.size - loser.size)
    let end = UInt64(now) + (winnerValue - loserValue - 1) / rate + 1
    return end < UInt64(KineticTournament.noEnd)
      ? UInt32(truncatingIfNeeded: end) : KineticTournament.noEnd
  }

  @usableFromInline @inline(never) mutating func grow(_ now: UInt32) {
    precondition(room <= 1 << 30, "a tournament has at most 2^31 places")
    room *= 2
    players.reserve(objects: Int(room))
    matches = Column(objects: Int(room))
    // The newcomer is not inserted yet: all matches of the present players are replayed.
    count -= 1
    var match = room - 1
    while match > 0 {
      matches[match] = play(match, now)
      match -= 1
    }
    count += 1
  }
}
