package dev.weir.config.document.tree;

/**
 * A parsed document, before the meaning of its fields is known.
 *
 * @param isClosed whether the notation proves that nothing is missing at the end
 */
public record Tree(Node root, boolean isClosed) {}
