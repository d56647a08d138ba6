import LarderEngine

/// The blocks of the prompts of conversations with a language model, one prompt at a time.
///
/// A block's key stands for the whole prefix up to its end, so a conversation keeps the keys of its
/// full blocks. The block at the end of a prompt is mostly not full: the next prompt of the
/// conversation has another one in its place.
final class PromptCursor: RecordCursor {
  /// A conversation that goes on.
  private struct Conversation {
    /// Keys of its full blocks.
    var blocks: [UInt64] = []
    var tokens = 0
    var turns = 0
    /// Its blocks that are those of a system prompt.
    var shared = 0
  }

  private let settings: PromptSettings
  private var random: RandomStream
  private let systems: ZipfSampler
  private var queue = EventQueue()
  // Conversations that go on, at the places that events name from 1 on; 0 is the next arrival.
  private var conversations: [Conversation] = [Conversation()]
  private var free: [Int] = []
  private var nextKey: UInt64
  private var time = 0.0
  private var prompt: [TraceRecord] = []
  private var handedOut = 0

  init(_ settings: PromptSettings) {
    self.settings = settings
    random = RandomStream(seed: settings.seed, purpose: 0x11a9)
    systems = ZipfSampler(count: settings.systemPrompts, exponent: settings.exponent)
    nextKey = UInt64(settings.systemPrompts * settings.systemBlocks)
    queue.insert(EventQueue.Event(time: 0, id: 0))
  }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) -> Int {
    while handedOut == prompt.count {
      prompt.removeAll(keepingCapacity: true)
      handedOut = 0
      // The next arrival is always in the queue.
      guard let event = queue.next() else { return 0 }
      if event.id == 0 { arrive(at: event.time) } else { turn(Int(event.id), at: event.time) }
    }
    let count = min(buffer.count, prompt.count - handedOut)
    for place in 0..<count { buffer[place] = prompt[handedOut + place] }
    handedOut += count
    return count
  }

  private func arrive(at now: UInt64) {
    time += random.nextExponential() / settings.arrivals
    queue.insert(EventQueue.Event(time: UInt64(min(time, 1e12) * 1e6), id: 0))
    var conversation = Conversation()
    let system = systems.rank(&random) - 1
    conversation.shared = settings.systemBlocks
    let first = UInt64(system) * UInt64(settings.systemBlocks)
    for block in 0..<settings.systemBlocks { conversation.blocks.append(first + UInt64(block)) }
    conversation.tokens = settings.systemBlocks * PreparedTrace.promptBlock
    let place = free.popLast() ?? conversations.count
    if place == conversations.count { conversations.append(Conversation()) }
    conversations[place] = conversation
    add(Int(settings.firstTokens.value(random.next())) - conversation.tokens, to: place, now)
  }

  private func turn(_ place: Int, at now: UInt64) {
    if random.nextUnit() < settings.branch {
      let (shared, blocks) = (conversations[place].shared, conversations[place].blocks.count)
      if blocks > shared {
        let kept = shared + Int(random.next(below: UInt64(blocks - shared)))
        conversations[place].blocks.removeLast(blocks - kept)
        conversations[place].tokens = kept * PreparedTrace.promptBlock
      }
    }
    add(Int(settings.addedTokens.value(random.next())), to: place, now)
  }

  /// A prompt that has so many tokens more than the conversation, at least one.
  private func add(_ tokens: Int, to place: Int, _ now: UInt64) {
    let block = PreparedTrace.promptBlock
    let total = min(conversations[place].tokens + max(1, tokens), settings.tokensMax)
    conversations[place].tokens = total
    conversations[place].turns += 1
    while conversations[place].blocks.count < total / block {
      conversations[place].blocks.append(nextKey)
      nextKey += 1
    }
    for key in conversations[place].blocks { prompt.append(TraceRecord(key: key, time: now)) }
    if total % block > 0 {
      prompt.append(TraceRecord(key: nextKey, time: now))
      nextKey += 1
    }
    prompt[0].prompt = UInt32(total) + 1
    let turns = Double(conversations[place].turns - 1)
    let goesOn = (settings.followUp * settings.weight + turns) / (settings.weight + turns)
    guard total < settings.tokensMax, random.nextUnit() < goesOn else {
      conversations[place] = Conversation()
      free.append(place)
      return
    }
    let pause = UInt64(settings.pauses.value(random.next())) * 1000
    queue.insert(EventQueue.Event(time: now + pause, id: UInt32(place)))
  }
}

extension PromptSettings {
  /// Full blocks of a system prompt; only these can be shared.
  var systemBlocks: Int { systemTokens / PreparedTrace.promptBlock }
}
