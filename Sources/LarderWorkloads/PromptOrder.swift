/// In which order the blocks of a prompt are requested. The number of blocks answered is counted
/// from the front of the prompt in either order.
public enum PromptOrder: String, Sendable, Hashable, Codable, CaseIterable {
  /// As the trace lists them.
  case front
  /// The last block first, so that under LRU the front of a prompt is evicted last.
  case tail
}
