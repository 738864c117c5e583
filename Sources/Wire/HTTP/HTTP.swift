/// The values of HTTP messages (RFC 9110): what a server takes from its HTTP library and gives back to it.
///
/// They are nested here, so that they stand beside the types of swift-http-types.
public enum HTTP {}
