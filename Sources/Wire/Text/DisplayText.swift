extension String {
    /// The offset of the first byte of what people do not see, or what changes the order of what they see: with either
    /// one name passes for another on a screen.
    ///
    /// The joiners that some scripts and pictures need may stand between two characters that are not ASCII.
    package var firstUnfitForDisplay: Int? {
        var offset = 0
        var before: Unicode.Scalar?
        let scalars = unicodeScalars
        for index in scalars.indices {
            let scalar = scalars[index]
            let next = scalars.index(after: index)
            if scalar.isJoiner {
                let follows = next < scalars.endIndex ? scalars[next] : nil
                guard let before, !before.isASCII, scalar.value == 0xFE0F || follows.map({ !$0.isASCII }) == true
                else { return offset }
            } else if scalar.isInvisible {
                return offset
            }
            before = scalar
            offset += UTF8.width(scalar)
        }
        return nil
    }
}

extension Unicode.Scalar {
    /// Zero width non-joiner and joiner, and the selector by which a character is shown as a picture.
    fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D || value == 0xFE0F }

    /// Controls of direction, format characters, fillers, separators of lines, tags, and what is no character.
    fileprivate var isInvisible: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F,
            0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFE00...0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFF,
            0x1D173...0x1D17A, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }
}
