package dev.weir.config.document.tree;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A parser of documents in any notation.
 *
 * @param maxBytes the largest document
 * @param maxValues how many keys and values it may have
 */
public record TreeReader(int maxBytes, int maxValues) {
    private interface Notation {
        Tree read(String text, TreeBuilder builder) throws Unreadable;
    }

    /** What these bytes say as YAML, after an earlier document, or null for the first one. */
    public Tree yaml(byte[] content, @Nullable Tree before) throws Unreadable {
        return read(content, (text, builder) -> {
            List<String> lines = List.of(text.split("\n", -1));
            Tree changed = ChangedLines.tree(before, lines, maxValues);
            if (changed != null) {
                return changed;
            }
            Tree all = YamlTree.read(text, builder);
            return new Tree(all.root(), all.isClosed(), lines);
        });
    }

    /** What these bytes say as JSON. */
    public Tree json(byte[] content) throws Unreadable {
        return read(content, JsonTree::read);
    }

    private Tree read(byte[] content, Notation notation) throws Unreadable {
        if (content.length > maxBytes) {
            throw new Unreadable(Place.NONE, "must have at most " + maxBytes + " bytes, was " + content.length);
        }
        String text = Utf8.decoded(content);
        try {
            return notation.read(text, new TreeBuilder(maxValues));
        } catch (RuntimeException e) {
            throw new Unreadable(Place.NONE, "cannot be read: " + e.getClass().getSimpleName() + " in the parser");
        }
    }
}
