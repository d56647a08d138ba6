import Larder

extension FuzzTarget {
  /// A disk cache whose files are changed: the first byte chooses a cache, and edits follow. What
  /// it finds then is what was stored, and it can be used as before.
  static let diskBytes = FuzzTarget("disk/bytes", lengthMax: 512) { input in
    var choices = FuzzInput(input)
    let sample = try DiskSample.all[choices.below(DiskSample.all.count)].get()
    var files = sample.files
    repeat {
      let index = choices.below(files.count)
      DiskEdit.draw(&choices).apply(to: &files[index].bytes)
    } while !choices.isEmpty
    try DiskDamageProperties.check(files, sample.configuration)
  }
}
