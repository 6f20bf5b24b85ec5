package dev.weir.config.document.tree;

import java.util.List;

/**
 * A parsed document, before the meaning of its fields is known.
 *
 * @param isEnded whether nothing can be missing at the end: it is a newline, or the notation shows the end
 * @param yaml its lines; empty = it is not YAML
 */
public record Tree(Node root, boolean isEnded, List<String> yaml) {
    /** That of another notation than YAML. */
    public Tree(Node root, boolean isEnded) {
        this(root, isEnded, List.of());
    }
}
