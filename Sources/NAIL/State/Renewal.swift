extension NAILState { public struct Renewal { struct Key: Hashable {} } }
