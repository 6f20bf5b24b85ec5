package dev.weir.config.document;

/**
 * A document as its notation says.
 *
 * @param isClosed whether the notation proves that nothing is missing at the end
 */
record Tree(Node root, boolean isClosed) {}
