import Larder

extension FuzzTarget {
  /// A disk cache with changed files: the first byte selects a cache, and edits follow. Values that
  /// it finds must be stored ones, and the cache must stay usable.
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
