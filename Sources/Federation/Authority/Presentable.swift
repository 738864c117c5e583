internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

/// What a credential leads to: a record, or the part of one that a check of access reads.
protocol Presentable {
    var id: TokenID { get }
    var kind: Record.Kind { get }
    var holder: Record.Holder? { get }
    var subject: Record.Subject? { get }
    var scope: Record.Scope? { get }
    var boundKey: Record.BoundKey? { get }
    var attributes: JSON.Object { get }
}

extension Record: Presentable {}
extension Grant: Presentable {}

extension Presentable {
    /// The name that the issuer gives the key that it is bound to, under which request tokens present it.
    var keyID: KeyID? { try? KeyID(parsing: id.text) }

    /// The client that holds it; `nil` if its holder's name is not one of clients.
    var client: ClientID? { holder.flatMap { try? ClientID(parsing: $0.text) } }

    /// Who makes proofs with the key that it is bound to.
    var keyHolder: Statement.BoundKey.Holder? {
        guard let holder else { return nil }
        if kind == .app { return (try? BundleID(parsing: holder.text)).map { .app($0) } }
        return client.map { .client($0) }
    }

    /// What its current access token is good for, which may be less than the grant.
    ///
    /// - Parameter known: words that need not be read anew where one of them is all of the scope.
    func currentScope(knowing known: [OAuth2Grants.Scope.Token] = []) -> OAuth2Grants.Scope {
        guard let text = attributes[Record.narrowedScope]?.string ?? scope?.text else { return OAuth2Grants.Scope() }
        if let token = known.first(where: { JSON.Name($0.text) == JSON.Name(text) }) {
            return OAuth2Grants.Scope([token])
        }
        return (try? OAuth2Grants.Scope(parsing: text)) ?? OAuth2Grants.Scope()
    }

    /// Whether an access token is the one that it names, where it names one.
    func isCurrent(_ serial: String) -> Bool {
        attributes[Record.currentToken]?.string.map { $0.utf8.elementsEqual(serial.utf8) } ?? true
    }
}

extension Record {
    /// Where a record says which of its access tokens is the only one.
    static let currentToken: JSON.Name = "token"

    /// Where a record says what its current access token is good for, if that is not all of the grant.
    static let narrowedScope: JSON.Name = "narrowed_scope"
}
