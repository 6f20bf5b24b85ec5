package dev.weir.config.document;

import dev.weir.config.builtin.Factories;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.document.tree.Place;

/**
 * The position at which a value is read, and the collector of its problems.
 *
 * @param limiter the limiter; empty = none
 * @param path the path within the limiter; empty = all of it
 * @param dimensions those of the limiter
 */
record Scope(Problems problems, Factories factories, String limiter, String path, KeyDimensions dimensions) {
    /** The value of a key in this one. */
    Scope at(String key) {
        return new Scope(problems, factories, limiter, Flat.path(path, key), dimensions);
    }

    /** An item of this list. */
    Scope at(int index) {
        return new Scope(problems, factories, limiter, path + "[" + index + "]", dimensions);
    }

    /** The same with problems of its own, which nobody reads. */
    Scope apart() {
        return new Scope(new Problems(""), factories, limiter, path, dimensions);
    }

    void problem(Place at, String rule, String value) {
        problems.add(at, limiter, path, rule, value);
    }

    /** This value breaks a rule. */
    void problem(Node node, String rule) {
        problem(node.at(), rule, node instanceof TextNode ? node.what() : "");
    }

    /** This value is of another kind than it must be. */
    void wrong(Node node, String rule) {
        problem(node.at(), rule, node.what());
    }

    long count() {
        return problems.count();
    }
}
