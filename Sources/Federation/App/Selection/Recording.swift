internal import NAIL
internal import RSD2

extension DataStore where Location == GroupLocation {
    /// Notes in `Protocols` what an app requested of the services that were chosen for it, beside what was requested of
    /// them before.
    ///
    /// Chosen services that are not cached are passed over; all the others are noted, or none.
    public mutating func record(_ choice: AuthorizationMode.Choice) throws(RowRejection) {
        var copy = self
        for service in choice.services where copy.userServices[service] != nil {
            let names = Set(copy.protocols[service]?.names ?? []).union(choice.request.protocols)
            try copy.put(RequestedProtocols(names, of: service))
        }
        self = copy
    }
}
