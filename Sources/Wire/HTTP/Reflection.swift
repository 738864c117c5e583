#if !hasFeature(Embedded)
// A dump ends up in logs, and fields, queries and bodies may be secrets (threat 22).

extension HTTP.Request: CustomReflectable {
    /// Nothing to look into.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTP.Response: CustomReflectable {
    /// Nothing to look into.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTP.Field: CustomReflectable {
    /// Nothing to look into.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTP.Form: CustomReflectable {
    /// Nothing to look into.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTP.Authentication: CustomReflectable {
    /// Nothing to look into.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
