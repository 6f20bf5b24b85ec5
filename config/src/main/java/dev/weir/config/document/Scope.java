package dev.weir.config.document;

import dev.weir.config.builtin.Factories;
import dev.weir.config.document.tree.FlatSlot;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.Entry;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.document.tree.Place;
import dev.weir.config.factory.Field;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The position at which a value is read, and the collector of its problems. It knows the dimensions by which the limits of the
 * limiter count, and the paths of the fields in the maps of this one, by plain name, to suggest one.
 */
record Scope(
        Problems problems,
        Factories factories,
        String limiter,
        String path,
        List<String> dimensions,
        Map<String, List<String>> inside) {
    /** A place in the document that is in no limiter. */
    static Scope of(Problems problems, Factories factories, String path) {
        return new Scope(problems, factories, "", path, List.of(), Map.of());
    }

    /** The same for limits that count by these. */
    Scope by(List<String> keyDimensions) {
        return new Scope(problems, factories, limiter, path, keyDimensions, inside);
    }

    Scope at(String key) {
        return new Scope(problems, factories, limiter, FlatSlot.path(path, key), dimensions, Map.of());
    }

    Scope at(int index) {
        return new Scope(problems, factories, limiter, path + "[" + index + "]", dimensions, Map.of());
    }

    /** The same with problems of its own, which nobody reads. */
    Scope apart() {
        return new Scope(new Problems(""), factories, limiter, path, dimensions, inside);
    }

    void problem(Place at, String rule, String value) {
        problems.add(at, limiter, path, rule, value);
    }

    void problem(Node node, String rule) {
        problem(node.at(), rule, node instanceof TextNode ? node.what() : "");
    }

    /** This value is of another kind than it must be. */
    void wrong(Node node, String rule) {
        problem(node.at(), rule, node.what());
    }

    /** Each of these fields that the map has breaks the rule. */
    void refuse(MapNode map, String rule, List<? extends Field<?>> fields) {
        for (Field<?> field : fields) {
            Entry entry = map.entries().get(field.name());
            if (entry != null) {
                at(field.name()).problem(entry.key(), rule, "");
            }
        }
    }

    /** The object that the call creates; null if it throws, which is then a problem of the node. Foreign code checks its arguments so. */
    <T> @Nullable T guarded(Node node, Supplier<? extends @Nullable T> creation) {
        try {
            return creation.get();
        } catch (IllegalArgumentException e) {
            problem(node.at(), e.getMessage() == null ? "must be valid" : e.getMessage(), "");
        } catch (Throwable t) {
            problem(node.at(), "cannot be created: " + t, "");
        }
        return null;
    }

    long count() {
        return problems.count();
    }
}
