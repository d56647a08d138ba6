/// Belady's rule for objects of different sizes: a good offline policy, not a bound.
///
/// The rule is the one that libCacheSim calls BeladySize. There it is applied to a sample of the
/// objects; here the largest product among all of them is found exactly, at any time.
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
    foresee(request)
  }

  mutating func replace(_ request: Request, _ sizes: some ObjectSizes) {
    advance(to: request)
    residents.update(request.id, nextUse: request.nextUse, size: request.size, now: now)
  }

  @inline(__always) mutating func foresee(_ request: Request) {
    advance(to: request)
    residents.update(request.id, nextUse: request.nextUse, now: now)
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

  /// Time never goes back, not even for an eviction on the cache's own account.
  @inline(__always) private mutating func advance(to request: Request) {
    now = max(now, UInt32(truncatingIfNeeded: request.index))
  }
}

/// Objects of which the one with the largest product of size and time to the next use is known at
/// any time.
///
/// The order of these products changes as time goes by, since those of large objects fall faster. A
/// tournament over the objects keeps for each match its winner, and until when it and all matches
/// below stand; asking for the largest plays again only those whose time has come (Basch, Guibas
/// and Hershberger, Data structures for mobile data, SODA 1997). Where two products are equal the
/// later next use wins, then the larger object, then the lower id; what is never used again wins
/// over everything else, the larger first.
///
/// A change is O(log n) and mostly stops after a few matches. Asking for the largest adds the
/// matches whose time has come since, each played again once: an amortised cost that depends on how
/// sizes and times are spread. Memory: 4 bytes an object and 20 for each place in the tournament.
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
    /// Place of the winner, or 0.
    @usableFromInline var winner: UInt32
    /// From then on the result may be another.
    @usableFromInline var end: UInt32

    @inlinable @inline(__always) init(winner: UInt32, end: UInt32) {
      self.winner = winner
      self.end = end
    }
  }

  @inlinable static var noEnd: UInt32 { .max }

  // Place of each object, from 1; 0 means that it is not held.
  @usableFromInline var places: Column<UInt32>
  @usableFromInline var players: Column<Player>
  // Match n is between the winners of matches 2n and 2n + 1; the numbers from `room` on stand for
  // the players themselves.
  @usableFromInline var matches: Column<Match>
  @usableFromInline var room: UInt32
  @usableFromInline var count: UInt32 = 0

  /// An empty tournament for ids up to `objects`, with room for `capacity` before it grows.
  public init(objects: Int, capacity: Int) {
    precondition(capacity <= 1 << 31, "a tournament has at most 2^31 places")
    room = UInt32(max(capacity, 16))
    places = Column(objects: objects)
    players = Column(objects: Int(room))
    matches = Column(objects: Int(room))
    // Nothing ends where nobody plays.
    for match in 1..<room { matches[match] = Match(winner: 0, end: KineticTournament.noEnd) }
  }

  /// Whether the object is held.
  @inlinable @inline(__always) public func contains(_ id: ObjectID) -> Bool { places[id] != 0 }

  /// Holds an object that is not held. Amortised O(log n).
  @inlinable @inline(__always) public mutating func insert(
    _ id: ObjectID, nextUse: UInt32, size: UInt32, now: UInt32
  ) {
    count += 1
    if count > room { grow(now) }
    places[id] = count
    players[count] = Player(id: id, nextUse: nextUse, size: size)
    replay(above: count, now)
  }

  /// Gives an object that is held another next use and, unless nil, another size. O(log n), O(1) on
  /// average.
  @inlinable @inline(__always) public mutating func update(
    _ id: ObjectID, nextUse: UInt32, size: UInt32? = nil, now: UInt32
  ) {
    let place = places[id]
    players[place].nextUse = nextUse
    if let size { players[place].size = size }
    replay(above: place, now)
  }

  /// Takes out the object with the largest product at `now`, which may not be before any time given
  /// earlier; one must be held.
  @inlinable @inline(__always) public mutating func popLargest(now: UInt32) -> ObjectID {
    assert(count > 0)
    settle(1, now)
    let id = players[winner(of: 1)].id
    remove(id, now: now)
    return id
  }

  /// Takes an object that is held out. O(log n).
  @inlinable @inline(__always) public mutating func remove(_ id: ObjectID, now: UInt32) {
    assert(contains(id))
    let (place, last) = (places[id], count)
    places[id] = 0
    count -= 1
    if place != last {
      // The last takes its place.
      players[place] = players[last]
      places[players[place].id] = place
    }
    replay(above: last, now)
    if place != last { replay(above: place, now) }
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { places.reserve(objects: objects) }

  /// Brings the object's place near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { places.prefetch(id) }

  /// Brings the object, whose place must be near, and its first match near.
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

  /// Plays the matches that a change at a place can have changed, from the lowest up.
  @inlinable @inline(__always) mutating func replay(above place: UInt32, _ now: UInt32) {
    var match = (room + place - 1) / 2
    while match > 0 {
      let old = matches[match]
      let new = play(match, now)
      // Above, neither who plays nor what they bring is different.
      if new.winner == old.winner, new.end == old.end, new.winner != place { return }
      matches[match] = new
      match /= 2
    }
  }

  /// Plays again what no longer stands at `now`.
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

  /// When the loser of a match would win it.
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
    // The newcomer is not there yet: those who are play all their matches again.
    count -= 1
    var match = room - 1
    while match > 0 {
      matches[match] = play(match, now)
      match -= 1
    }
    count += 1
  }
}
