extension World {
    /// The phones of a federation: of one that nobody has touched there is nothing but its number, from which all of it
    /// follows.
    final class Phones {
        let count: Int
        fileprivate var places: [Phone?]
        /// From where the first phone draws what it makes for itself.
        fileprivate let chance: SimulatedFederation.Entropy

        /// So many phones, which all have drawn from chance.
        init(_ count: Int, chance: inout SimulatedFederation.Entropy) {
            (self.count, self.chance) = (count, chance)
            places = Array(repeating: nil, count: count)
            chance.skip(count * Phone.drawsOfBody)
        }

        /// Those that somebody has touched, in the order of their numbers.
        var touched: some Sequence<Phone> { places.lazy.compactMap { $0 } }

        /// Whether somebody has touched a phone.
        func isTouched(_ number: Int) -> Bool { places[number] != nil }

        /// Keeps nothing but the number of a phone.
        func release(_ number: Int) { places[number] = nil }

        /// Keeps nothing but how many phones there are.
        func releaseAll() { places = Array(repeating: nil, count: count) }
    }

    /// A phone, which somebody touches from now on.
    func phone(_ number: Int) -> Phone {
        if let phone = phones.places[number] { return phone }
        var (own, next) = (phones.chance, phones.chance)
        own.skip(number * Phone.drawsOfBody)
        next.skip((number + 1) * Phone.drawsOfBody)
        let phone = Phone(number, as: number + 1, in: self, using: &own)
        precondition(own.isWhere(next), "every phone draws as much")
        phones.places[number] = phone
        ledger.takeUp(phone.installation)
        return phone
    }
}
