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
    let conversations = try parameters.count("conversations")
    let contacts = try parameters.count("contacts")
    let history = try parameters.count("history")
    guard conversations * history <= 10_000_000 else {
      throw parameters.badValue("history", expected: "at most 10 million pages in total")
    }
    let sigma = try parameters.number("sigma")
    func sizes(_ name: String, _ sigma: Double) throws(ComponentError) -> ValueDistribution {
      DistributionRegistry.logNormal(
        median: Double(try parameters.bytes(name)), sigma: sigma, low: 128, high: 64 << 20)
    }
    let settings = ChatSettings(
      conversations: conversations, contacts: contacts,
      exponent: try parameters.number("exponent"), history: history,
      listed: try parameters.count("listed"), visits: try parameters.number("visits"),
      newMessages: try parameters.number("new"), scroll: try parameters.share("scroll"),
      exchanges: try parameters.number("exchanges"), media: try parameters.count("media"),
      pause: try parameters.seconds("pause"), avatarSizes: try sizes("avatar-size", 0.4),
      pageSizes: try sizes("page-size", 0.4), mediaSizes: try sizes("media-size", sigma),
      seed: setup.seed, objectSeed: setup.objectSeed)
    // Avatars have keys from the start, pages and media get theirs at their first request.
    return GeneratorPlan(keyLimit: conversations + contacts + setup.requests) {
      ChatCursor(settings)
    }
  }

  private static let parameters = [
    GeneratorParameter("conversations", .count(1...10_000), default: "200", "Conversations."),
    GeneratorParameter(
      "contacts", .count(1...1_000_000), default: "500", "People whose avatars appear in groups."),
    .exponent(
      default: "0.8",
      "Exponent of Zipf's law over conversations, ranked by how recently they were opened."),
    GeneratorParameter(
      "history", .count(1...10_000), default: "50",
      "Initial pages of 30 messages per conversation."),
    GeneratorParameter(
      "listed", .count(1...1000), default: "10", "Conversations on the first screen."),
    GeneratorParameter(
      "visits", .number(1...1000), default: "3",
      "Mean number of conversations opened per session."),
    GeneratorParameter(
      "new", .number(0...1000), default: "6",
      "Mean number of messages received since a conversation was last opened."),
    GeneratorParameter(
      "scroll", .share, default: "40%",
      "Probability of scrolling back by one more page, after each page."),
    GeneratorParameter(
      "exchanges", .number(0...1000), default: "2",
      "Mean number of messages written or received while a conversation is open."),
    GeneratorParameter(
      "media", .count(0...15), default: "3",
      "Maximum pictures and clips per page; all numbers up to this are equally likely."),
    GeneratorParameter(
      "pause", .duration(1...31_536_000), default: "30m",
      "Mean time between two sessions."),
    GeneratorParameter(
      "avatar-size", .bytes(128...16_777_216), default: "4KiB", "Median size of an avatar."),
    GeneratorParameter(
      "page-size", .bytes(128...16_777_216), default: "6KiB", "Median size of a page of messages."),
    GeneratorParameter(
      "media-size", .bytes(128...16_777_216), default: "90KiB",
      "Median size of a picture or clip."),
    GeneratorParameter(
      "sigma", .number(0...5), default: "1.2", "Spread of the sizes of media (log-normal)."),
  ]
}
