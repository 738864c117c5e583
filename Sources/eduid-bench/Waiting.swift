import Dispatch
import Foundation

/// Waits for work that waits for others, and says why it failed if it did; the exit status.
func exitStatus(_ say: (String) -> Void, of work: @escaping @Sendable () async throws -> Bool) -> Int32 {
    let (end, outcome) = (DispatchSemaphore(value: 0), Outcome())
    Task {
        do { outcome.result = .success(try await work()) } catch { outcome.result = .failure(error) }
        end.signal()
    }
    end.wait()
    switch outcome.result {
    case .success(let isGood): return isGood ? EXIT_SUCCESS : EXIT_FAILURE
    case .failure(let error):
        say("Error: \(error)\n")
        return EXIT_FAILURE
    }
}

/// What came of the work: written before its end is told, and read after that.
private final class Outcome: @unchecked Sendable { var result = Result<Bool, any Error>.success(false) }
