package dev.weir.config.document.tree;

import java.util.List;

/**
 * A parsed document, before the meaning of its fields is known.
 *
 * @param isClosed whether the notation proves that nothing is missing at the end
 * @param yaml its lines; empty = it is not YAML
 */
public record Tree(Node root, boolean isClosed, List<String> yaml) {
    /** That of another notation than YAML. */
    public Tree(Node root, boolean isClosed) {
        this(root, isClosed, List.of());
    }
}
