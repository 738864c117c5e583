internal import JOSE
internal import Wire

extension JWT.Confirmation.Rejection { var text: String { description } }
extension JWK.Rejection { var text: String { description } }
extension JWT.Rejection { var text: String { description } }
extension JWS.SigningRejection { var text: String { description } }
extension KeyRejection { var text: String { description } }
