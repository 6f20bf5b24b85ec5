package dev.weir.config.document.tree;

/**
 * A parsed document, before the meaning of its fields is known.
 *
 * @param isEnded whether nothing can be missing at the end: it is a newline, or the notation shows the end
 */
public record Tree(Node root, boolean isEnded) {}
