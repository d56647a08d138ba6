import LarderEngine

/// A messenger on a phone.
enum ChatGenerator: Generator {
  static let description = GeneratorDescription(
    name: "chat",
    summary: """
      A person opens the app, sees the avatars of the latest conversations, opens a few of them, \
      most likely those opened last time, reads the newest page of messages with its media, \
      rarely scrolls back, writes and receives replies. New messages change the newest page.
      """,
    parameters: parameters, columns: [.size, .time, .operation],
    source: """
      Our model of a messenger; the figures are plausible round numbers, not measurements.
      """)

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let parameters = setup.parameters
    let conversations = try parameters.whole("conversations")
    let contacts = try parameters.whole("contacts")
    let history = try parameters.whole("history")
    guard conversations * history <= 10_000_000 else {
      throw parameters.wrong("history", expected: "at most 10 million pages in total")
    }
    let sigma = try parameters.number("sigma")
    func sizes(_ name: String, _ sigma: Double) throws(ComponentError) -> ValueDistribution {
      DistributionRegistry.logNormal(
        median: Double(try parameters.whole(name)), sigma: sigma, low: 128, high: 64 << 20)
    }
    let settings = ChatSettings(
      conversations: conversations, contacts: contacts,
      exponent: try parameters.number("exponent"), history: history,
      listed: try parameters.whole("listed"), visits: try parameters.number("visits"),
      newMessages: try parameters.number("new"), scroll: try parameters.number("scroll"),
      exchanges: try parameters.number("exchanges"), media: try parameters.whole("media"),
      pause: try parameters.number("pause"), avatarSizes: try sizes("avatar-size", 0.4),
      pageSizes: try sizes("page-size", 0.4), mediaSizes: try sizes("media-size", sigma),
      seed: setup.seed, objectSeed: setup.objectSeed)
    // Avatars have keys from the start, pages and media get theirs at their first request.
    return GeneratorPlan(keyLimit: conversations + contacts + setup.requests) {
      ChatCursor(settings)
    }
  }

  private static let parameters = [
    Parameter("conversations", .count(1...10_000), default: "200", "Conversations."),
    Parameter(
      "contacts", .count(1...1_000_000), default: "500", "People whose avatars appear in groups."),
    .exponent(
      default: "0.8",
      "Exponent of Zipf's law over conversations, ranked by how recently they were opened."),
    Parameter(
      "history", .count(1...10_000), default: "50",
      "Initial pages of 30 messages per conversation."),
    Parameter(
      "listed", .count(1...1000), default: "10", "Conversations on the first screen."),
    Parameter(
      "visits", .number(1...1000), default: "3",
      "Mean number of conversations opened per session."),
    Parameter(
      "new", .number(0...1000), default: "6",
      "Mean number of messages received since a conversation was last opened."),
    Parameter(
      "scroll", .share, default: "40%",
      "Probability of scrolling back by one more page, after each page."),
    Parameter(
      "exchanges", .number(0...1000), default: "2",
      "Mean number of messages written or received while a conversation is open."),
    Parameter(
      "media", .count(0...15), default: "3",
      "Maximum pictures and clips per page; all numbers up to this are equally likely."),
    Parameter(
      "pause", .duration(1...31_536_000), default: "30m",
      "Mean time between two sessions."),
    Parameter(
      "avatar-size", .bytes(128...16_777_216), default: "4KiB", "Median size of an avatar."),
    Parameter(
      "page-size", .bytes(128...16_777_216), default: "6KiB", "Median size of a page of messages."),
    Parameter(
      "media-size", .bytes(128...16_777_216), default: "90KiB",
      "Median size of a picture or clip."),
    Parameter(
      "sigma", .number(0...5), default: "1.2", "Spread of the sizes of media (log-normal)."),
  ]
}

/// Parsed parameters of the messenger.
struct ChatSettings: Sendable {
  var conversations: Int
  var contacts: Int
  var exponent: Double
  var history: Int
  var listed: Int
  var visits: Double
  var newMessages: Double
  var scroll: Double
  var exchanges: Double
  var media: Int
  /// Pause in seconds.
  var pause: Double
  var avatarSizes: ValueDistribution
  var pageSizes: ValueDistribution
  var mediaSizes: ValueDistribution
  var seed: UInt64
  var objectSeed: UInt64

  /// Messages of a full page.
  static let messagesOfAPage = 30
}

/// Requests of a messenger, one opening of the app at a time.
///
/// All messages that arrive while a conversation is closed become one modify when it is opened
/// next: no stale copy can be read before that.
final class ChatCursor: RecordCursor {
  private let settings: ChatSettings
  private var random: RandomStream
  private var pages: ChatPages
  private let depths: ZipfSampler
  /// Conversations by recency, the last opened first.
  private var recent: [Int]
  private var time = 0.0
  private var burst: [TraceRecord] = []
  private var handedOut = 0

  init(_ settings: ChatSettings) {
    self.settings = settings
    random = RandomStream(seed: settings.seed, purpose: 0xc4a7)
    pages = ChatPages(settings, firstKey: UInt32(settings.conversations + settings.contacts))
    depths = ZipfSampler(count: settings.conversations, exponent: settings.exponent)
    recent = Array(0..<settings.conversations)
  }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) -> Int {
    while handedOut == burst.count {
      burst.removeAll(keepingCapacity: true)
      handedOut = 0
      openApp()
    }
    let count = min(buffer.count, burst.count - handedOut)
    for place in 0..<count { buffer[place] = burst[handedOut + place] }
    handedOut += count
    return count
  }

  private func openApp() {
    time += random.nextExponential() * settings.pause
    for conversation in recent.prefix(settings.listed) { writeAvatar(conversation) }
    for _ in 0...random.nextGeometric(mean: settings.visits - 1) {
      time += 1 + 3 * random.nextExponential()
      visit()
    }
  }

  private func visit() {
    let depth = Int(depths.rank(&random)) - 1
    let conversation = recent.remove(at: depth)
    recent.insert(conversation, at: 0)
    receive(random.nextGeometric(mean: settings.newMessages), in: conversation)
    writeAvatar(conversation)
    // One conversation in four is a group, with the members' avatars next to the messages.
    let bits = RandomStream.derived(settings.objectSeed ^ 0x6709, UInt64(conversation))
    if bits % 4 == 0 {
      for member in 0..<3 {
        let contact = RandomStream.derived(bits, UInt64(member)) % UInt64(settings.contacts)
        writeAvatar(settings.conversations + Int(contact))
      }
    }
    var page = pages.count(conversation) - 1
    read(page, of: conversation)
    while page > 0, random.nextUnit() < settings.scroll {
      page -= 1
      time += 2 + 4 * random.nextExponential()
      read(page, of: conversation)
    }
    for _ in 0..<random.nextGeometric(mean: settings.exchanges) {
      time += 3 + 15 * random.nextExponential()
      exchange(in: conversation)
    }
    time += 2 * random.nextExponential()
  }

  /// Writes a message, which stores the newest page again, or receives one, which makes the page
  /// stale and fetches it again.
  private func exchange(in conversation: Int) {
    if random.next() & 1 == 0 {
      _ = pages.add(1, to: conversation)
      let page = pages.page(pages.count(conversation) - 1, of: conversation)
      write(page.key, page.size, .set)
    } else {
      receive(1, in: conversation)
      let page = pages.page(pages.count(conversation) - 1, of: conversation)
      write(page.key, page.size, .get)
    }
  }

  private func receive(_ count: Int, in conversation: Int) {
    if let changed = pages.add(count, to: conversation) {
      write(changed.key, changed.size, .modify)
    }
  }

  private func read(_ number: Int, of conversation: Int) {
    let page = pages.page(number, of: conversation)
    write(page.key, page.size, .get)
    let media = pages.media(number, of: conversation)
    for index in 0..<media.count {
      let size = pages.mediaSize(index, page: number, of: conversation)
      write(media.firstKey + UInt32(index), size, .get)
    }
  }

  private func writeAvatar(_ person: Int) {
    let bits = RandomStream.derived(settings.objectSeed ^ 0xa7a7, UInt64(person))
    write(UInt32(person), settings.avatarSizes.value(bits), .get)
  }

  private func write(_ key: UInt32, _ size: UInt32, _ operation: Operation) {
    let microseconds = UInt64(min(time, 1e12) * 1e6)
    burst.append(
      TraceRecord(key: UInt64(key), time: microseconds, size: size, operation: operation))
  }
}

/// Message pages of all conversations, with the keys and sizes of their content.
struct ChatPages {
  /// A page. Its position in the conversation determines its sizes, not its first request.
  private struct Page {
    /// Seed of sizes and media, which do not depend on earlier requests.
    var identity: UInt64
    /// Key of the page; the media follow once they have been requested.
    var key = UInt32.max
    var firstMediaKey = UInt32.max
    var media: UInt8
  }

  /// Pages by conversation, the newest last. Old ones are created when first seen.
  private var pages: [[Page]]
  /// Messages on the newest page, by conversation.
  private var messages: [Int]
  /// True if the newest page was requested since its last change, by conversation.
  private var isRequested: [Bool]
  private let settings: ChatSettings
  private var nextKey: UInt32

  /// Conversations with their history; keys begin at `firstKey`.
  init(_ settings: ChatSettings, firstKey: UInt32) {
    self.settings = settings
    nextKey = firstKey
    pages = []
    messages = []
    isRequested = [Bool](repeating: false, count: settings.conversations)
    for conversation in 0..<settings.conversations {
      pages.append((0..<settings.history).map { Self.page($0, of: conversation, settings) })
      let bits = RandomStream.derived(settings.objectSeed, UInt64(conversation))
      messages.append(1 + Int(bits % UInt64(ChatSettings.messagesOfAPage)))
    }
  }

  private static func page(
    _ number: Int, of conversation: Int, _ settings: ChatSettings
  ) -> Page {
    let place = UInt64(conversation) << 32 | UInt64(number)
    let identity = RandomStream.derived(settings.objectSeed ^ 0x9a6e, place)
    let media = RandomStream.mixed(identity).multipliedFullWidth(by: UInt64(settings.media) + 1)
    return Page(identity: identity, media: UInt8(media.high))
  }

  func count(_ conversation: Int) -> Int { pages[conversation].count }

  /// Adds messages. Returns the changed page if it was requested since its last change, because
  /// copies of it may exist.
  mutating func add(_ count: Int, to conversation: Int) -> (key: UInt32, size: UInt32)? {
    guard count > 0 else { return nil }
    let newest = pages[conversation].count - 1
    let wasFull = messages[conversation] == ChatSettings.messagesOfAPage
    var changed: (key: UInt32, size: UInt32)?
    if !wasFull, isRequested[conversation] { changed = page(newest, of: conversation) }
    messages[conversation] += count
    while messages[conversation] > ChatSettings.messagesOfAPage {
      messages[conversation] -= ChatSettings.messagesOfAPage
      pages[conversation].append(
        Self.page(pages[conversation].count, of: conversation, settings))
    }
    isRequested[conversation] = false
    return changed
  }

  /// Key and size of a page; 0 is the oldest.
  mutating func page(_ number: Int, of conversation: Int) -> (key: UInt32, size: UInt32) {
    if pages[conversation][number].key == .max {
      pages[conversation][number].key = nextKey
      nextKey &+= 1
    }
    if number == pages[conversation].count - 1 { isRequested[conversation] = true }
    let page = pages[conversation][number]
    return (page.key, settings.pageSizes.value(page.identity))
  }

  /// Number of media on a page, and the first of their consecutive keys.
  mutating func media(_ number: Int, of conversation: Int) -> (count: Int, firstKey: UInt32) {
    if pages[conversation][number].firstMediaKey == .max {
      pages[conversation][number].firstMediaKey = nextKey
      nextKey &+= UInt32(pages[conversation][number].media)
    }
    let page = pages[conversation][number]
    return (Int(page.media), page.firstMediaKey)
  }

  func mediaSize(_ index: Int, page number: Int, of conversation: Int) -> UInt32 {
    let identity = pages[conversation][number].identity
    return settings.mediaSizes.value(RandomStream.derived(identity, UInt64(index)))
  }
}
