extension JSON {
    /// How much a reader takes on before it refuses; every bound is checked before the work it bounds is done.
    ///
    /// The defaults suit whole service documents and key sets; give a smaller `size` where the protocol knows one. A
    /// parsed document takes two to three times the memory of its text, up to thirteen times where the text is all
    /// digits and commas.
    public struct Limits: Sendable, Hashable {
        /// The most bytes a JSON text may have; never above 1 GiB, because the tape holds 32-bit offsets.
        package let size: Int
        /// The most arrays and objects that may lie within each other; never above 512, because trees are walked by
        /// recursion.
        package let depth: Int
        /// The most values and names that a text may hold together; never above 16,777,215, the tape's widest count.
        package let values: Int
        /// The most elements of one array, or members of one object; at least one.
        package let members: Int
        /// The most bytes between the quotes of one string or name, as written.
        package let stringLength: Int
        /// The most characters of one number.
        package let numberLength: Int

        /// Bounds for one reader; what is not given takes the default.
        public init(
            size: Int = 16 << 20,
            depth: Int = 64,
            values: Int = 4 << 20,
            members: Int = 1 << 20,
            stringLength: Int = 8 << 20,
            numberLength: Int = 1 << 10
        ) {
            self.size = max(0, min(size, 1 << 30))
            self.depth = max(0, min(depth, 512))
            self.values = max(0, min(values, Tape.Slot.widestCount))
            self.members = max(1, members)
            self.stringLength = max(0, min(stringLength, 1 << 30))
            self.numberLength = max(0, numberLength)
        }
    }
}
