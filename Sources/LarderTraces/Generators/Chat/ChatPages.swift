/// The pages of messages of all conversations, and the keys and sizes of what is on them.
struct ChatPages {
  /// A page's place in its conversation decides its sizes, not when it was first requested.
  private struct Page {
    /// For sizes and media: the same page has the same whatever happened before.
    var identity: UInt64
    /// The key of the page, and after the first request of its media those of the media.
    var key = UInt32.max
    var firstMediaKey = UInt32.max
    var media: UInt8
  }

  /// For each conversation its pages, the newest last. Those of the past are made when first seen.
  private var pages: [[Page]]
  /// For each conversation the messages on its newest page.
  private var messages: [Int]
  /// For each conversation whether the newest page was requested since it last changed.
  private var isRequested: [Bool]
  private let settings: ChatSettings
  private var nextKey: UInt32

  /// Conversations with their history, on keys from `firstKey` on.
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

  /// Number of pages of a conversation.
  func count(_ conversation: Int) -> Int { pages[conversation].count }

  /// Adds messages. Returns the page that changed if copies of it may be out: it had been requested
  /// since its last change.
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

  /// The key and size of a page, 0 being the oldest.
  mutating func page(_ number: Int, of conversation: Int) -> (key: UInt32, size: UInt32) {
    if pages[conversation][number].key == .max {
      pages[conversation][number].key = nextKey
      nextKey &+= 1
    }
    if number == pages[conversation].count - 1 { isRequested[conversation] = true }
    let page = pages[conversation][number]
    return (page.key, settings.pageSizes.value(page.identity))
  }

  /// How many media are on a page, and the key of the first; the others' follow.
  mutating func media(_ number: Int, of conversation: Int) -> (count: Int, firstKey: UInt32) {
    if pages[conversation][number].firstMediaKey == .max {
      pages[conversation][number].firstMediaKey = nextKey
      nextKey &+= UInt32(pages[conversation][number].media)
    }
    let page = pages[conversation][number]
    return (Int(page.media), page.firstMediaKey)
  }

  /// The size of one of the media of a page.
  func mediaSize(_ index: Int, page number: Int, of conversation: Int) -> UInt32 {
    let identity = pages[conversation][number].identity
    return settings.mediaSizes.value(RandomStream.derived(identity, UInt64(index)))
  }
}
