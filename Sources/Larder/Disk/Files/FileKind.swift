/// What a name in a folder stands for.
package enum FileKind: Sendable, Hashable {
  /// Nothing.
  case missing
  /// A regular file.
  case file
  /// A folder.
  case folder
  /// A link, a pipe, a socket or a device.
  case other
}

/// One thing that a folder holds.
package struct FolderItem: Sendable, Hashable {
  /// Its name within the folder.
  package var name: String
  /// What it is.
  package var kind: FileKind

  /// An item; see the properties.
  package init(name: String, kind: FileKind) {
    self.name = name
    self.kind = kind
  }
}

/// Whether a file that is written is made or exists.
package enum FileTarget: Sendable, Hashable {
  /// It is made; what had its name is removed first.
  case new
  /// It exists, and is written over in place.
  case existing
}
