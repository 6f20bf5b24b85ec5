package dev.weir.config.document.tree;

/**
 * A document as its notation says.
 *
 * @param isClosed whether the notation proves that nothing is missing at the end
 */
public record Tree(Node root, boolean isClosed) {}
