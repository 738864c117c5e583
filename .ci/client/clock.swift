import Glibc

// What time it is for a process that this library is loaded into before all others: the system's time, and as many seconds as a file says, which may
// change while the process works. Whatever does not count the seconds since 1970 stays as it is.

private typealias Telling = @convention(c) (clockid_t, UnsafeMutablePointer<timespec>?) -> Int32

/// The system's own function, which is the next one of this name.
private let system: Telling = {
    let next = UnsafeMutableRawPointer(bitPattern: -1)
    return unsafeBitCast(dlsym(next, "clock_gettime"), to: Telling.self)
}()

/// The seconds, where the file is.
private nonisolated(unsafe) let seconds: UnsafePointer<Int>? = {
    guard let path = getenv("EDUID_TEST_CLOCK") else { return nil }
    let file = open(path, O_RDONLY)
    guard file >= 0, let place = mmap(nil, MemoryLayout<Int>.size, PROT_READ, MAP_SHARED, file, 0), place != MAP_FAILED else { return nil }
    return UnsafePointer(place.assumingMemoryBound(to: Int.self))
}()

@_cdecl("clock_gettime")
public func tellTime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>?) -> Int32 {
    let status = system(clock, time)
    if status == 0, clock == CLOCK_REALTIME, let seconds { time?.pointee.tv_sec += seconds.pointee }
    return status
}
