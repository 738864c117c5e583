/// The public declarations of a module, one line each, sorted: what its users can name.
///
/// The list is read from the sources. It knows no types beyond what they state, so a property whose type is inferred is
/// listed with its value.
func publicSurface(of files: [SourceFile]) -> [String] {
    let all = files.flatMap { declarations(in: $0.tokens) }
    let types: Set<String> = ["struct", "enum", "class", "protocol", "actor", "typealias"]
    var hidden: Set<String> = []
    for declaration in all where types.contains(declaration.keyword) && !declaration.isPublic {
        hidden.insert(declaration.path)
    }

    /// Whether a path leads through a type of the module that is not public; types of other modules are taken as
    /// public.
    func isHidden(_ path: String) -> Bool {
        var prefix = ""
        for part in path.split(separator: ".") {
            prefix += prefix.isEmpty ? String(part) : "." + part
            if hidden.contains(prefix) { return true }
        }
        return false
    }

    let lines = all.compactMap { declaration -> String? in
        if declaration.keyword == "extension" {
            let visible = declaration.conformances.filter { !hidden.contains($0) }
            guard !visible.isEmpty, declaration.isPublic, !isHidden(declaration.name) else { return nil }
            return declaration.name + ": " + declaration.signature
        }
        guard declaration.isPublic, !isHidden(declaration.container) else { return nil }
        let condition = declaration.condition.isEmpty ? "" : " " + declaration.condition
        return declaration.container.isEmpty
            ? declaration.signature : declaration.container + condition + ": " + declaration.signature
    }
    return lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}

/// What was added to and removed from a list of lines, in the notation of `diff`.
func difference(from old: [String], to new: [String]) -> [String] {
    new.difference(from: old).map { change in
        switch change {
        case .insert(_, let line, _): "+ " + line
        case .remove(_, let line, _): "- " + line
        }
    }
}
