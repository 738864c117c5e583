/// The error of a call that must fail with this type; nothing where it succeeds.
public func rejection<Value, Failure: Error>(of call: () throws(Failure) -> Value) -> Failure? {
    do throws(Failure) {
        _ = try call()
        return nil
    } catch {
        return error
    }
}
