/// The keys that one kind of map in a workload file may have. Declared once: the decoder refuses
/// all others, and a test compares the JSON Schema with it.
public struct KeyTable: Sendable, Hashable {
  /// What the map is; also the name of its definition in the schema.
  public let name: String
  /// The keys in the order in which to list them.
  public let keys: [Key]
  /// Whether further keys belong to a component and are its own to check.
  public let isOpen: Bool

  /// One key.
  public struct Key: Sendable, Hashable {
    /// The name as typed.
    public let name: String
    /// The types its value may have.
    public let types: [ValueType]
    /// Whether it must be there.
    public let isRequired: Bool
    /// The words allowed as text, when only some are.
    public let choices: [String]

    /// A key; optional unless said otherwise.
    init(_ name: String, _ types: ValueType..., required: Bool = false, choices: [String] = []) {
      self.name = name
      self.types = types
      isRequired = required
      self.choices = choices
    }
  }

  /// The types of YAML and JSON, by the names that JSON Schema gives them.
  public enum ValueType: String, Sendable, Hashable, CaseIterable {
    /// Text.
    case string
    /// A whole number.
    case integer
    /// Any number.
    case number
    /// `true` or `false`.
    case boolean
    /// A list.
    case array
    /// A map.
    case object
  }

  /// A table; closed unless said otherwise.
  init(_ name: String, isOpen: Bool = false, _ keys: Key...) {
    self.init(name, isOpen: isOpen, keys: keys)
  }

  init(_ name: String, isOpen: Bool = false, keys: [Key]) {
    self.name = name
    self.isOpen = isOpen
    self.keys = keys
  }

  /// The names of the keys.
  public var names: [String] { keys.map(\.name) }
}
