/// Objects of which the one with the lowest rank is known at any time, where the rank of an object
/// is its rate divided by the time since its last request, plus 1.
///
/// Ranks fall as time goes by, those of objects requested lately faster, so their order changes. A
/// tournament over the objects keeps for each match its winner, and until when that result stands;
/// asking for the lowest plays again only what may have changed (Basch, Guibas and Hershberger,
/// Data structures for mobile data, SODA 1997). Of equal ranks the object requested least recently
/// wins.
///
/// A change is O(log n). Asking for the lowest adds the matches whose time has come since, each
/// played again once. Memory: 4 bytes an object and 48 for each place in the tournament.
struct RankTournament: ~Copyable {
  struct Player: BitwiseCopyable {
    var id: ObjectID
    var rate: Double
    /// The time of the last request.
    var last: UInt64
    /// The number of that request: those of the same time have an order.
    var order: UInt64
  }

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
  @inline(__always)
  func contains(_ id: ObjectID) -> Bool { places[id] != 0 }

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
    return beats(a, b, now)
      ? Match(winner: left, end: min(end, overtaking(of: a, by: b, now)))
      : Match(winner: right, end: min(end, overtaking(of: b, by: a, now)))
  }

  /// In this order of operations, by which the reference counts were made.
  private func rank(_ player: Player, _ now: UInt64) -> Double {
    player.rate / Double(age(player, now))
  }

  private func age(_ player: Player, _ now: UInt64) -> UInt64 {
    max(now, player.last) - player.last + 1
  }

  private func beats(_ a: Player, _ b: Player, _ now: UInt64) -> Bool {
    let (first, second) = (rank(a, now), rank(b, now))
    return first == second ? a.order < b.order : first < second
  }

  /// A time before which the loser of a match does not win it. Ranks cross once at most: when the
  /// loser has the lower rate.
  private func overtaking(of winner: Player, by loser: Player, _ now: UInt64) -> UInt64 {
    guard loser.rate < winner.rate else { return .max }
    let (own, other) = (Double(age(winner, now)), Double(age(loser, now)))
    let left = (loser.rate * own - winner.rate * other) / (winner.rate - loser.rate)
    // Early rather than late: ranks are rounded, and then the match is only played again.
    let safe = left * (1 - 1e-9) - 2
    guard safe < 9e18 else { return .max }
    let (end, isBeyondTime) = now.addingReportingOverflow(safe > 1 ? UInt64(safe) : 1)
    return isBeyondTime ? .max : end
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
