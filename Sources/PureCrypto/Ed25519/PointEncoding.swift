extension EdwardsPoint {
    /// Reads y and the sign of x (RFC 8032, 5.1.3).
    ///
    /// Branches on what it reads: for public points only.
    init(decoding words: FourWords) throws(Curve25519.Signing.Rejection) {
        let y = FieldElement(words.w0, words.w1, words.w2, words.w3 & 0x7fff_ffff_ffff_ffff)
        guard y.isCanonical else { throw .nonCanonicalY }

        // −x² + y² = 1 + d·x²·y² is x² = (y² − 1)/(d·y² + 1).
        let yy = y.squared()
        guard let root = FieldElement.squareRoot(of: yy - .one, over: yy * EdwardsPoint.d + .one) else {
            throw .notOnCurve
        }
        let canonical = root.canonical
        let sign = words.w3 &>> 63
        if sign == 1, canonical.isZero { throw .negativeZero }
        let x = canonical.s0 & 1 == sign ? canonical : -canonical
        self.init(x: x, y: y, z: .one, t: x * y)
    }

    /// The same point with Z = 1, in constant time: the point may be secret, like the multiple of the base point that
    /// signing makes.
    func normalized() -> EdwardsPoint {
        let inverse = z.inverted()
        let (x, y) = ((x * inverse).canonical, (y * inverse).canonical)
        return EdwardsPoint(x: x, y: y, z: .one, t: x * y)
    }

    /// y and the sign of x.
    ///
    /// Bound: Z is 1, and x and y are canonical.
    var encoding: FourWords { FourWords(y.s0, y.s1, y.s2, y.s3 | x.s0 &<< 63) }
}

extension FieldElement {
    /// Whether the words are below p already.
    var isCanonical: Bool {
        let c = canonical
        return FourWords(s0, s1, s2, s3) == FourWords(c.s0, c.s1, c.s2, c.s3)
    }
}
