package dev.weir.config.document;

/** The evidence that nothing is missing at the end of a document. */
public enum DocumentProof {
    /** Nothing does: what follows may be missing. */
    NONE,
    /** The notation: JSON, a YAML document in braces, or one that ends with the line {@code ...}. */
    CLOSED,
    /** The last line is {@code # sha256:} with the digest of all bytes before it. */
    CHECKSUM,
    /** The last line begins with {@code # sha256:}, but the digest is not that of the bytes before it. */
    WRONG_CHECKSUM
}
