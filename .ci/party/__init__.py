"""A party of the federation, written from the protocol pages alone: it answers the conformance vectors of all kinds."""
