import Foundation
import Synchronization

/// The value of what takes its time, for a program that has nothing else to do meanwhile.
enum Waiting {
    static func value<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value? {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Value?>(nil)
        Task.detached {
            let value = await body()
            result.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        return result.withLock { $0 }
    }
}
