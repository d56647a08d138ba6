import Foundation

// Torture of the caches: see `TortureCommand.usage`.
exit(TortureCommand.run(Array(CommandLine.arguments.dropFirst())))
