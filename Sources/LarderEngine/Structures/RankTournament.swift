/// An object with a rank that never rises as time goes by.
protocol FallingRank: BitwiseCopyable {
  var id: ObjectID { get }

  /// Whether this rank is the lower one at `now`, or goes first among equals.
  func isLower(than other: Self, at now: UInt64) -> Bool

  /// A time after `now` before which this rank, which is not the lower one at `now`, does not
  /// become it; `.max` if it never does. Too early costs a comparison, too late is wrong.
  func overtaking(_ winner: Self, at now: UInt64) -> UInt64
}

extension FallingRank {
  /// `now` and so much time, which is rounded: early rather than late, for then a match is only
  /// played again.
  func time(_ left: Double, after now: UInt64) -> UInt64 {
    let safe = left * (1 - 1e-9) - 2
    guard safe < 9e18 else { return .max }
    let (end, isBeyondTime) = now.addingReportingOverflow(safe > 1 ? UInt64(safe) : 1)
    return isBeyondTime ? .max : end
  }
}

/// Objects of which the one with the lowest rank is known at any time.
///
/// Ranks fall as time goes by, some faster than others, so their order changes. A tournament over
/// the objects keeps for each match its winner, and until when that result stands; asking for the
/// lowest plays again only what may have changed (Basch, Guibas and Hershberger, Data structures
/// for mobile data, SODA 1997).
///
/// A change is O(log n). Asking for the lowest adds the matches whose time has come since, each
/// played again once. Memory: 4 bytes an object, and a player and 16 bytes for each place in the
/// tournament.
struct RankTournament<Player: FallingRank>: ~Copyable {
  struct Match: BitwiseCopyable {
    /// Place of the winner, or 0.
    var winner: UInt32
    /// From then on the result may be another.
    var end: UInt64
  }

  // Place of each object, from 1; 0 means that it is not held.
  private var places: Column<UInt32>
  private var players: Column<Player>
  // Match n is between the winners of matches 2n and 2n + 1; the numbers from `room` on stand for
  // the players themselves.
  private var matches: Column<Match>
  private var room: UInt32
  private var count: UInt32 = 0

  /// An empty tournament for ids up to `objects`, with room for `capacity` before it grows.
  init(objects: Int, capacity: Int) {
    precondition(capacity <= 1 << 31, "a tournament has at most 2^31 places")
    room = UInt32(max(capacity, 16))
    places = Column(objects: objects)
    players = Column(objects: Int(room))
    matches = Column(objects: Int(room))
    for match in 1..<room { matches[match] = Match(winner: 0, end: .max) }
  }

  /// Whether the object is held.
  @inline(__always) func contains(_ id: ObjectID) -> Bool { places[id] != 0 }

  /// Holds an object that is not held. Amortised O(log n).
  mutating func insert(_ player: Player, now: UInt64) {
    count += 1
    if count > room { grow(now) }
    places[player.id] = count
    players[count] = player
    replay(above: count, now)
  }

  /// Gives an object that is held another rate and last request. O(log n).
  mutating func update(_ player: Player, now: UInt64) {
    let place = places[player.id]
    players[place] = player
    replay(above: place, now)
  }

  /// The object with the lowest rank at `now`, which may not be before any time given earlier; one
  /// must be held.
  mutating func lowest(now: UInt64) -> ObjectID {
    settle(1, now)
    return players[winner(of: 1)].id
  }

  /// Takes an object that is held out. O(log n).
  mutating func remove(_ id: ObjectID, now: UInt64) {
    let (place, last) = (places[id], count)
    places[id] = 0
    count -= 1
    if place != last {
      players[place] = players[last]
      places[players[place].id] = place
    }
    replay(above: last, now)
    if place != last { replay(above: place, now) }
  }

  /// Makes ids up to `objects` valid.
  mutating func reserve(objects: Int) { places.reserve(objects: objects) }

  /// Brings the object's place near.
  func prefetch(_ id: ObjectID) { places.prefetch(id) }

  /// Memory held, in bytes.
  var bytes: Int { places.bytes + players.bytes + matches.bytes }

  private func winner(of match: UInt32) -> UInt32 {
    if match < room { return matches[match].winner }
    let place = match - room + 1
    return place <= count ? place : 0
  }

  private func end(of match: UInt32) -> UInt64 { match < room ? matches[match].end : .max }

  /// Plays the matches above a place, up to the first that nothing changes in.
  private mutating func replay(above place: UInt32, _ now: UInt64) {
    var match = (room + place - 1) / 2
    while match > 0 {
      let old = matches[match]
      let new = play(match, now)
      if new.winner == old.winner, new.end == old.end, new.winner != place { return }
      matches[match] = new
      match /= 2
    }
  }

  /// Plays again what no longer stands at `now`.
  private mutating func settle(_ match: UInt32, _ now: UInt64) {
    guard end(of: match) <= now else { return }
    settle(match * 2, now)
    settle(match * 2 + 1, now)
    matches[match] = play(match, now)
  }

  private func play(_ match: UInt32, _ now: UInt64) -> Match {
    let (left, right) = (winner(of: match * 2), winner(of: match * 2 + 1))
    let end = min(end(of: match * 2), end(of: match * 2 + 1))
    if left == 0 || right == 0 { return Match(winner: max(left, right), end: end) }
    let (a, b) = (players[left], players[right])
    return a.isLower(than: b, at: now)
      ? Match(winner: left, end: min(end, b.overtaking(a, at: now)))
      : Match(winner: right, end: min(end, a.overtaking(b, at: now)))
  }

  private mutating func grow(_ now: UInt64) {
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
