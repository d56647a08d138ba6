import ArgumentParser
import LarderEngine
import LarderWorkloads

/// Layouts of disk caches.
struct LayoutOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Simulate disk caches with layouts, separated by commas, in place of policies: \
      log:region=16MiB:reinsert=1, sets, or kangaroo:log=5%:region=256KiB:threshold=2:reinsert=1.
      """, valueName: "layouts"))
  var layout: [String] = []

  /// One disk cache for each layout; nil where none is given.
  ///
  /// - Throws: `UsageError` for a layout that does not exist, or is given twice.
  func configurations() throws -> [ConfigurationSpec]? {
    guard !layout.isEmpty else { return nil }
    let texts = layout.joined(separator: ",").split(
      separator: ",", omittingEmptySubsequences: false)
    var specs: [ConfigurationSpec] = []
    for text in texts {
      let layout: FlashLayout
      do {
        layout = try FlashLayout(parsing: text.filter { $0 != " " })
      } catch {
        throw UsageError("--layout: \(error)")
      }
      var spec = ConfigurationSpec(name: layout.description, kind: .disk)
      if texts.count == 1 { spec.name = ConfigurationKind.disk.rawValue }
      spec.setLayout(layout)
      guard !specs.contains(where: { $0.name == spec.name }) else {
        throw UsageError("--layout has '\(layout)' twice")
      }
      specs.append(spec)
    }
    return specs
  }
}
