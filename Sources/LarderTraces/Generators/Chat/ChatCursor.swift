import LarderEngine

/// The requests of a messenger, one opening of the app at a time.
///
/// What arrives while a conversation is closed is written as one modify when it is opened next:
/// nobody could have read a stale copy before.
final class ChatCursor: RecordCursor {
  private let settings: ChatSettings
  private var random: RandomStream
  private var pages: ChatPages
  private let depths: ZipfSampler
  /// Conversations, the last opened first.
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
    // One conversation in four is a group; its members' avatars stand beside the messages.
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

  /// A message is written, which stores the newest page anew, or received, which makes it stale and
  /// has it fetched again.
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
