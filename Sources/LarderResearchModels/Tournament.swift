import LarderEngine

/// An object in a tournament, whose strength changes over time.
protocol TournamentPlayer: BitwiseCopyable {
  associatedtype Time: FixedWidthInteger & UnsignedInteger & BitwiseCopyable

  var id: ObjectID { get }

  func beats(_ other: Self, at now: Time) -> Bool

  /// A time after `now` before which this player, which loses to `winner` at `now`, does not beat
  /// it; `.max` if it never does. A time too early costs a comparison; one too late is wrong.
  func overtaking(_ winner: Self, at now: Time) -> Time
}

extension TournamentPlayer where Time == UInt64 {
  /// The time `left` after `now`, rounded: early rather than late, because then a match is only
  /// replayed.
  func time(_ left: Double, after now: UInt64) -> UInt64 {
    let safe = left * (1 - 1e-9) - 2
    guard safe < 9e18 else { return .max }
    let (end, isBeyondTime) = now.addingReportingOverflow(safe > 1 ? UInt64(safe) : 1)
    return isBeyondTime ? .max : end
  }
}

/// A tournament that finds the strongest object at any time, while strengths change at different
/// speeds. Each match keeps its winner and the time until which it and all matches below remain
/// valid; a query replays only expired ones (Basch, Guibas and Hershberger, Data structures for
/// mobile data, SODA 1997). A change is O(log n).
struct Tournament<Player: TournamentPlayer>: ~Copyable {
  typealias Time = Player.Time

  struct Match: BitwiseCopyable {
    var winner: UInt32
    var end: Time
  }

  // Slot of each object, from 1; 0 for an object that is not in the tournament.
  private var places: Column<UInt32>
  private var players: Column<Player>
  // Match n is between the winners of matches 2n and 2n + 1; numbers from `room` on are the
  // players.
  private var matches: Column<Match>
  private var room: UInt32
  private var count: UInt32 = 0

  init(objects: Int, capacity: Int) {
    precondition(capacity <= 1 << 31, "a tournament has at most 2^31 places")
    room = UInt32(max(capacity, 16))
    places = Column(objects: objects)
    players = Column(objects: Int(room))
    matches = Column(objects: Int(room))
    for match in 1..<room { matches[match] = Match(winner: 0, end: .max) }
  }

  @inline(__always) func contains(_ id: ObjectID) -> Bool { places[id] != 0 }

  mutating func insert(_ player: Player, now: Time) {
    count += 1
    if count > room { grow(now) }
    places[player.id] = count
    players[count] = player
    replay(above: count, now)
  }

  @inline(__always) subscript(id: ObjectID) -> Player { players[places[id]] }

  mutating func update(_ player: Player, now: Time) {
    let place = places[player.id]
    players[place] = player
    replay(above: place, now)
  }

  /// The strongest object at `now`, which must not be earlier than any time passed before. The
  /// tournament must not be empty.
  mutating func winner(now: Time) -> ObjectID {
    settle(1, now)
    return players[winner(of: 1)].id
  }

  mutating func remove(_ id: ObjectID, now: Time) {
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

  mutating func reserve(objects: Int) { places.reserve(objects: objects) }

  @inline(__always) func prefetch(_ id: ObjectID) { places.prefetch(id) }

  @inline(__always) func prefetchPlayer(_ id: ObjectID) {
    let place = places[id]
    players.prefetch(place)
    matches.prefetch((room + place) / 2)
  }

  var bytes: Int { places.bytes + players.bytes + matches.bytes }

  @inline(__always) private func winner(of match: UInt32) -> UInt32 {
    if match < room { return matches[match].winner }
    let place = match - room + 1
    return place <= count ? place : 0
  }

  @inline(__always) private func end(of match: UInt32) -> Time {
    match < room ? matches[match].end : .max
  }

  private mutating func replay(above place: UInt32, _ now: Time) {
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

  private mutating func settle(_ match: UInt32, _ now: Time) {
    guard end(of: match) <= now else { return }
    settle(match * 2, now)
    settle(match * 2 + 1, now)
    matches[match] = play(match, now)
  }

  @inline(__always) private func play(_ match: UInt32, _ now: Time) -> Match {
    let (left, right) = (winner(of: match * 2), winner(of: match * 2 + 1))
    let end = min(end(of: match * 2), end(of: match * 2 + 1))
    if left == 0 || right == 0 { return Match(winner: max(left, right), end: end) }
    let (a, b) = (players[left], players[right])
    return a.beats(b, at: now)
      ? Match(winner: left, end: min(end, b.overtaking(a, at: now)))
      : Match(winner: right, end: min(end, a.overtaking(b, at: now)))
  }

  @inline(never) private mutating func grow(_ now: Time) {
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
