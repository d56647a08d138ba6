/// What can go wrong with a server that is recorded. Exit code 1: the command was right.
enum ServerError: Error, CustomStringConvertible {
  /// The name stands for no address.
  case unknownHost(String, reason: String)
  /// No connection.
  case noConnection(String, reason: String)
  /// It wants a password.
  case needsPassword(String)
  /// It wants another password.
  case refused(String, answer: String)
  /// It answered something else than it should.
  case unexpected(String, answer: String)
  /// It did not answer.
  case silent(String)
  /// The connection broke; what was written stays.
  case lost(String, reason: String, requests: Int, file: String)

  /// One line for a person.
  var description: String {
    switch self {
    case .unknownHost(let server, let reason): "\(server): unknown host: \(reason)"
    case .noConnection(let server, let reason): "\(server): cannot connect: \(reason)"
    case .needsPassword(let server):
      "\(server): the server asks for a password; give it with --password-file or in "
        + "LARDER_PASSWORD"
    case .refused(let server, let answer): "\(server): the server refused the password: \(answer)"
    case .unexpected(let server, let answer):
      "\(server): unexpected answer '\(answer)'; is this the right kind of server?"
    case .silent(let server): "\(server): no answer for 10 s"
    case .lost(let server, let reason, let requests, let file):
      "\(server): connection lost: \(reason); \(requests) requests are in \(file)"
    }
  }
}
