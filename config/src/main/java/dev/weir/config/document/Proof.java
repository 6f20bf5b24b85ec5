package dev.weir.config.document;

/** What a document itself proves about being whole. */
public enum Proof {
    /** Nothing: its end may be missing. */
    NONE,
    /** Its notation says where it ends: the closing brace of JSON, or the line {@code ...} of YAML. */
    CLOSED,
    /** Its last line is the checksum of all lines before. */
    CHECKSUM,
    /** Its last line is a checksum, but not of the lines before. */
    WRONG_CHECKSUM
}
