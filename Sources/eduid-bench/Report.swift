import Foundation

extension Measurement {
    static let header = columns("name", "median ns", "spread", "iterations", "ratio", "rival")

    /// The row for people.
    var line: String {
        Self.columns(
            name,
            String(format: nanoseconds < 1000 ? "%.1f" : "%.0f", nanoseconds),
            String(format: "%.1f %%", spread * 100),
            String(iterations),
            ratio.map { String(format: "%.2f", $0) } ?? "",
            rival?.name ?? ""
        )
    }

    /// The row for programs.
    var json: String {
        var row =
            #"{"name":"\#(name)","unit":"ns","nanoseconds":\#(nanoseconds),"#
            + #""spread":\#(spread),"iterations":\#(iterations)"#
        if let rival, let ratio {
            row += #","rival":"\#(rival.name)","rivalNanoseconds":\#(rival.nanoseconds),"ratio":\#(ratio)"#
        }
        return row + "}\n"
    }

    private static func columns(
        _ name: String, _ time: String, _ spread: String, _ iterations: String, _ ratio: String, _ rival: String
    ) -> String {
        name.padded(to: 28) + time.leftPadded(to: 13) + spread.leftPadded(to: 9) + iterations.leftPadded(to: 13)
            + ratio.leftPadded(to: 8) + "  " + rival + "\n"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }

    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(1, width - count)) + self
    }
}
