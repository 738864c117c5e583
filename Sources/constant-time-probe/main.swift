// Runs one operation on secrets that valgrind's memcheck takes for undefined (threat 21), because their memory comes
// fresh from the allocator. A jump or an address that depends on such a byte is then reported as an error.
// `.ci/constant-time` runs every mode: those named `leaky-…` depend on a secret on purpose and must be caught, all
// others must not.

/// An operation on secrets, under the name that is given on the command line.
struct Mode: Sendable {
    let name: String
    let run: @Sendable () -> Void
}

let modes = authenticationModes + signingModes + p256Modes + p384Modes + p521Modes + encryptionModes

switch CommandLine.arguments.dropFirst().first {
case "--modes":
    for mode in modes { print(mode.name) }
case let name:
    guard let mode = modes.first(where: { $0.name == name }) else {
        fatalError("usage: constant-time-probe --modes | MODE")
    }
    mode.run()
}
