package dev.weir.config.document.tree;

/** A parsed document, and whether nothing can be missing at its end: it is a newline, or the notation shows the end. */
public record Tree(Node root, boolean isEnded) {}
