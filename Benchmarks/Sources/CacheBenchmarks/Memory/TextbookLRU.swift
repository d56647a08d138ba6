import Foundation

/// The LRU of every textbook and interview: a dictionary, a linked list of nodes, one lock.
final class TextbookLRU<Key: Hashable & Sendable, Value: Sendable>: BenchmarkCache,
  @unchecked Sendable
{
  private final class Node {
    let key: Key
    var value: Value
    unowned(unsafe) var previous: Node?
    var next: Node?

    init(_ key: Key, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  private let lock = NSLock()
  private let capacity: Int
  private var nodes: [Key: Node] = [:]
  private var first: Node?
  private var last: Node?

  init(capacity: Int) { self.capacity = capacity }

  func get(_ key: Key) -> Value? {
    lock.lock()
    defer { lock.unlock() }
    guard let node = nodes[key] else { return nil }
    moveToFront(node)
    return node.value
  }

  func put(_ key: Key, _ value: Value) {
    lock.lock()
    defer { lock.unlock() }
    if let node = nodes[key] {
      node.value = value
      moveToFront(node)
      return
    }
    if nodes.count == capacity, let victim = last {
      unlink(victim)
      nodes[victim.key] = nil
    }
    let node = Node(key, value)
    nodes[key] = node
    link(node)
  }

  private func moveToFront(_ node: Node) {
    if first === node { return }
    unlink(node)
    link(node)
  }

  private func link(_ node: Node) {
    node.next = first
    node.previous = nil
    first?.previous = node
    first = node
    if last == nil { last = node }
  }

  private func unlink(_ node: Node) {
    let (previous, next) = (node.previous, node.next)
    if let previous { previous.next = next } else { first = next }
    if let next { next.previous = previous } else { last = previous }
    node.next = nil
  }
}
