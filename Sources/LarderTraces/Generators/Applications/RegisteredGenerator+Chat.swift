import LarderEngine

extension RegisteredGenerator {
  static let chat = RegisteredGenerator(
    name: "chat",
    summary: """
      A messenger: avatars of the latest conversations, a few of them opened, most likely those \
      opened last, their newest pages with media, replies. New messages change the newest page.
      """,
    parameters: [
      .count("conversations", 1...10_000, "200", "Conversations."),
      .count("contacts", 1...1_000_000, "500", "People whose avatars appear in groups."),
      .exponent("0.8", "Exponent of Zipf's law over conversations by how recently opened."),
      .count("history", 1...10_000, "50", "Initial pages of 30 messages per conversation."),
      .count("listed", 1...1000, "10", "Conversations on the first screen."),
      .number("visits", 1...1000, "3", "Mean conversations opened per session."),
      .number("new", 0...1000, "6", "Mean messages received since a conversation was open."),
      .share("scroll", "40%", "Probability of scrolling back one more page, after each page."),
      .number("exchanges", 0...1000, "2", "Mean messages written or received while it is open."),
      .count("media", 0...15, "3", "Most pictures and clips per page; 0 to this are as likely."),
      .time("pause", 1...31_536_000, "30m", "Mean time between two sessions."),
      .medianSize("avatar-size", "4KiB", "an avatar", least: 128),
      .medianSize("page-size", "6KiB", "a page of messages", least: 128),
      .medianSize("media-size", "90KiB", "a picture or clip", least: 128),
      .number("sigma", 0...5, "1.2", "Spread of the sizes of media (log-normal)."),
    ],
    columns: [.size, .time, .operation], source: "Our model of a messenger; round numbers."
  ) { setup throws(ComponentError) in
    let stream = try ChatStream(setup)
    // Avatars have keys from the start, pages and media get theirs at their first request.
    return GeneratorPlan(keyLimit: stream.people + setup.requests, stream: stream)
  }
}

private struct ChatStream: BurstStream {
  /// A page of a conversation. Its position determines its sizes, not its first request.
  private struct Page {
    /// Seed of sizes and media, which do not depend on earlier requests.
    var identity: UInt64
    /// Key of the page; the media follow once they have been requested.
    var key = UInt32.max
    var firstMediaKey = UInt32.max
    var media: UInt8
  }

  private struct Conversation {
    var pages: [Page]
    var messages: Int
    /// True if the newest page was requested since its last change: copies of it may exist.
    var isRequested = false
  }

  private static let messagesOfAPage = 30

  var burst = Burst()
  private let contacts: Int
  private let listed: Int
  private let visits: Double
  private let newMessages: Double
  private let scroll: Double
  private let exchanges: Double
  private let media: Int
  private let pause: Double
  private let avatarSizes: ValueDistribution
  private let pageSizes: ValueDistribution
  private let mediaSizes: ValueDistribution
  private let objectSeed: UInt64
  private let depths: ZipfSampler
  private var random: RandomStream
  private var conversations: [Conversation] = []
  private var recent: [Int]
  private var time = 0.0
  private var nextKey: UInt32
  let people: Int

  init(_ setup: GeneratorSetup) throws(ComponentError) {
    let (count, history) = (try setup.whole("conversations"), try setup.whole("history"))
    guard count * history <= 10_000_000 else {
      throw setup.parameters.wrong("history", expected: "at most 10 million pages in total")
    }
    contacts = try setup.whole("contacts")
    listed = try setup.whole("listed")
    visits = try setup.number("visits")
    newMessages = try setup.number("new")
    scroll = try setup.number("scroll")
    exchanges = try setup.number("exchanges")
    media = try setup.whole("media")
    pause = try setup.number("pause")
    let bounds: ClosedRange<UInt32> = 128...64 << 20
    avatarSizes = try setup.sizes("avatar-size", sigma: 0.4, bounds)
    pageSizes = try setup.sizes("page-size", sigma: 0.4, bounds)
    mediaSizes = try setup.sizes("media-size", sigma: try setup.number("sigma"), bounds)
    objectSeed = setup.objectSeed
    depths = try setup.sampler(of: count)
    random = RandomStream(seed: setup.seed, purpose: 0xc4a7)
    recent = Array(0..<count)
    people = count + contacts
    nextKey = UInt32(people)
    for conversation in 0..<count {
      let bits = RandomStream.derived(objectSeed, UInt64(conversation))
      let pages = (0..<history).map { newPage($0, of: conversation) }
      conversations.append(
        Conversation(pages: pages, messages: 1 + Int(bits % UInt64(Self.messagesOfAPage))))
    }
  }

  mutating func step() {
    time += random.nextExponential() * pause
    for conversation in recent.prefix(listed) { writeAvatar(conversation) }
    for _ in 0...random.nextGeometric(mean: visits - 1) {
      time += 1 + 3 * random.nextExponential()
      visit()
    }
  }

  private mutating func visit() {
    let depth = Int(depths.rank(&random)) - 1
    let conversation = recent.remove(at: depth)
    recent.insert(conversation, at: 0)
    receive(random.nextGeometric(mean: newMessages), in: conversation)
    writeAvatar(conversation)
    // One conversation in four is a group, with the members' avatars next to the messages.
    let bits = RandomStream.derived(objectSeed ^ 0x6709, UInt64(conversation))
    if bits % 4 == 0 {
      for member in 0..<3 {
        let contact = RandomStream.derived(bits, UInt64(member)) % UInt64(contacts)
        writeAvatar(recent.count + Int(contact))
      }
    }
    var page = conversations[conversation].pages.count - 1
    read(page, of: conversation)
    while page > 0, random.nextUnit() < scroll {
      page -= 1
      time += 2 + 4 * random.nextExponential()
      read(page, of: conversation)
    }
    for _ in 0..<random.nextGeometric(mean: exchanges) {
      time += 3 + 15 * random.nextExponential()
      exchange(in: conversation)
    }
    time += 2 * random.nextExponential()
  }

  /// Writes a message, which stores the newest page again, or receives one, which changes it.
  private mutating func exchange(in conversation: Int) {
    let isWritten = random.next() & 1 == 0
    if isWritten {
      _ = add(1, to: conversation)
    } else {
      receive(1, in: conversation)
    }
    let page = page(conversations[conversation].pages.count - 1, of: conversation)
    write(page.key, page.size, isWritten ? .set : .get)
  }

  private mutating func receive(_ count: Int, in conversation: Int) {
    if let changed = add(count, to: conversation) { write(changed.key, changed.size, .modify) }
  }

  private mutating func read(_ number: Int, of conversation: Int) {
    let page = page(number, of: conversation)
    write(page.key, page.size, .get)
    if conversations[conversation].pages[number].firstMediaKey == .max {
      conversations[conversation].pages[number].firstMediaKey = nextKey
      nextKey &+= UInt32(conversations[conversation].pages[number].media)
    }
    let media = conversations[conversation].pages[number]
    for index in 0..<UInt32(media.media) {
      let size = mediaSizes.value(RandomStream.derived(media.identity, UInt64(index)))
      write(media.firstMediaKey + index, size, .get)
    }
  }

  private mutating func writeAvatar(_ person: Int) {
    let bits = RandomStream.derived(objectSeed ^ 0xa7a7, UInt64(person))
    write(UInt32(person), avatarSizes.value(bits), .get)
  }

  private mutating func write(_ key: UInt32, _ size: UInt32, _ operation: Operation) {
    let microseconds = UInt64(min(time, 1e12) * 1e6)
    burst.append(
      TraceRecord(key: UInt64(key), time: microseconds, size: size, operation: operation))
  }

  private func newPage(_ number: Int, of conversation: Int) -> Page {
    let place = UInt64(conversation) << 32 | UInt64(number)
    let identity = RandomStream.derived(objectSeed ^ 0x9a6e, place)
    let media = RandomStream.mixed(identity).multipliedFullWidth(by: UInt64(media) + 1)
    return Page(identity: identity, media: UInt8(media.high))
  }

  private mutating func add(
    _ count: Int, to conversation: Int
  ) -> (key: UInt32, size: UInt32)? {
    guard count > 0 else { return nil }
    let newest = conversations[conversation].pages.count - 1
    let wasFull = conversations[conversation].messages == Self.messagesOfAPage
    var changed: (key: UInt32, size: UInt32)?
    if !wasFull, conversations[conversation].isRequested {
      changed = page(newest, of: conversation)
    }
    conversations[conversation].messages += count
    while conversations[conversation].messages > Self.messagesOfAPage {
      conversations[conversation].messages -= Self.messagesOfAPage
      let number = conversations[conversation].pages.count
      conversations[conversation].pages.append(newPage(number, of: conversation))
    }
    conversations[conversation].isRequested = false
    return changed
  }

  private mutating func page(
    _ number: Int, of conversation: Int
  ) -> (key: UInt32, size: UInt32) {
    if conversations[conversation].pages[number].key == .max {
      conversations[conversation].pages[number].key = nextKey
      nextKey &+= 1
    }
    if number == conversations[conversation].pages.count - 1 {
      conversations[conversation].isRequested = true
    }
    let page = conversations[conversation].pages[number]
    return (page.key, pageSizes.value(page.identity))
  }
}
