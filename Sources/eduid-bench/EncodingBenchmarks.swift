import Foundation
import Wire

/// Base64URL, against Foundation's Base64 of the same bytes.
func encodingBenchmarks() -> [Benchmark] {
    let bytes = Samples.bytes(1026)
    let data = Data(bytes)
    let text = Base64URL.encode(bytes)
    let base64 = data.base64EncodedString()
    return [
        Benchmark("base64url-decode-1k") { try? Base64URL.decode(text) }
            .against("Data(base64Encoded:)") { Data(base64Encoded: base64) },
        Benchmark("base64url-encode-1k") { Base64URL.encode(bytes) }
            .against("base64EncodedString") { data.base64EncodedString() },
    ]
}
