/// The parameters of the messenger, read.
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
  /// Seconds.
  var pause: Double
  var avatarSizes: ValueDistribution
  var pageSizes: ValueDistribution
  var mediaSizes: ValueDistribution
  var seed: UInt64
  var objectSeed: UInt64

  /// Messages of a full page.
  static let messagesOfAPage = 30
}
